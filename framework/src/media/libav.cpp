#include "media/libav.hpp"

#include <marey/media/video_reader.hpp>

#include <fmt/format.h>

#include <mutex>
#include <new>

namespace marey::media {

void silence_libav() {
  static std::once_flag once;  // its log is per process
  std::call_once(once, [] { av_log_set_level(AV_LOG_QUIET); });
}

std::string reason(int averror) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(averror, text, sizeof text);
  return text;
}

PacketHandle new_packet() {
  PacketHandle packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

FrameHandle new_frame() {
  FrameHandle frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}

void fail(const std::filesystem::path& path, std::string_view what) {
  throw MediaError(fmt::format("{}: {}", path.string(), what));
}

void fail(const std::filesystem::path& path, std::string_view what, int averror) {
  throw MediaError(fmt::format("{}: {}: {}", path.string(), what, reason(averror)));
}

}  // namespace marey::media
