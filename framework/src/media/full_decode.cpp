#include "media/full_decode.hpp"

#include "media/matroska_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <new>

namespace marey::media {
namespace {

CodecHandle open_decoder(const Input& input, const ReaderOptions& options) {
  CodecHandle out(avcodec_alloc_context3(&input.codec()));
  if (!out) throw std::bad_alloc();
  int result = avcodec_parameters_to_context(out.get(), input.stream().codecpar);
  if (result >= 0) {
    out->thread_count = std::max(1, options.threads);
    out->max_pixels = options.max_pixels;
    out->pkt_timebase = input.stream().time_base;
    result = avcodec_open2(out.get(), &input.codec(), nullptr);
  }
  if (result < 0)
    fail(input.path(), fmt::format("the {} decoder cannot be opened", input.codec().name), result);
  return out;
}

// The header counts packets, empty ones too. Only mp4 counts exactly; in avi the last one may be left out.
std::int64_t missing_packets(const Input& input, std::int64_t came) {
  const std::int64_t missing = input.stream().nb_frames - came - input.empty_packets();
  const bool exact = std::string_view(input.container()).starts_with("mov");
  return missing > (exact ? 0 : 1) ? missing : 0;
}

bool ends_early(const Input& input) {
  if (!std::string_view(input.container()).starts_with("matroska")) return false;
  std::error_code error;
  const auto size = std::filesystem::file_size(input.path(), error);
  std::ifstream file(input.path(), std::ios::binary);
  return !error && file && matroska_size(file) > static_cast<std::int64_t>(size);
}

}  // namespace

bool is_key(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)  // a flag replaced the field
  return (frame.flags & AV_FRAME_FLAG_KEY) != 0;
#else
  return frame.key_frame != 0;
#endif
}

FullDecode decode_all(Input& input, const ReaderOptions& options, Watch& watch,
                      const std::function<void(std::int64_t, const AVFrame&)>& sink) {
  FullDecode out;
  const auto decoder = open_decoder(input, options);
  const auto packet = new_packet();
  const auto frame = new_frame();
  bool after_key = false;
  const auto take = [&] {
    for (int errors = 0; errors < 1000;) {
      watch.check(input.path(), "decoding");
      const int result = avcodec_receive_frame(decoder.get(), frame.get());
      if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
      if (result < 0) {
        ++errors;
        ++out.damage.refused_packets;
        continue;
      }
      // A stream may begin with frames that refer to what was cut off: they are no damage.
      after_key = after_key || is_key(*frame);
      const bool damaged = (frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags;
      out.damage.damaged_frames += damaged && after_key;
      out.key_frames += is_key(*frame);
      sink(out.frames++, *frame);
      av_frame_unref(frame.get());
    }
  };
  while (input.read(*packet)) {
    ++out.packets;
    if (avcodec_send_packet(decoder.get(), packet.get()) < 0) ++out.damage.refused_packets;
    av_packet_unref(packet.get());
    take();
  }
  avcodec_send_packet(decoder.get(), nullptr);
  take();
  if (input.end_reason() != AVERROR_EOF) out.damage.reading_stopped = reason(input.end_reason());
  out.damage.missing_frames = missing_packets(input, out.packets);
  if (out.damage.reading_stopped.empty() && ends_early(input))
    out.damage.reading_stopped = "the file is shorter than it says";
  return out;
}

std::string Damage::words() const {
  std::string out;
  const auto add = [&](const std::string& what) { out += (out.empty() ? "" : ", ") + what; };
  if (!reading_stopped.empty()) add("reading stopped: " + reading_stopped);
  if (missing_frames > 0) add(fmt::format("{} frames missing", missing_frames));
  if (refused_packets > 0) add(fmt::format("{} packets refused by the decoder", refused_packets));
  if (damaged_frames > 0) add(fmt::format("{} frames damaged", damaged_frames));
  return out;
}

Checked check_video(const std::filesystem::path& path, const ReaderOptions& options) {
  Watch watch(options.time_limit_seconds, options.cancelled);
  Input input(path, options, watch);
  const auto all = decode_all(input, options, watch, [](std::int64_t, const AVFrame&) {});
  if (all.frames == 0) fail(path, "no frame of the video can be decoded");
  return {all.frames, all.damage};
}

}  // namespace marey::media
