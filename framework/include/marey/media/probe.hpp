// What one video file is, measured by decoding all of it.
#pragma once
#include <marey/media/video_reader.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace marey::media {

// What goes wrong while a file is decoded from beginning to end.
struct Damage {
  std::int64_t refused_packets = 0;  // that the decoder could not take
  std::int64_t damaged_frames = 0;   // that came out with parts made up
  std::int64_t missing_frames = 0;   // promised by the packets, or by the header, and not there
  std::string reading_stopped;       // libav's reason, where it was not the end of the file

  bool any() const {
    return refused_packets > 0 || damaged_frames > 0 || missing_frames > 0 || !reading_stopped.empty();
  }
  std::string words() const;  // "3 packets refused by the decoder, …"; empty without damage
};

struct ProbedFrame {
  std::int64_t index = 0;
  std::optional<std::int64_t> pts;  // in the stream's time base
  double seconds = 0;               // from frame 0
  bool key = false;
  std::string planes_md5;  // of the decoder's own planes, rows without padding
  std::string rgb_md5;     // of the frame as the reader gives it, RGB24
  std::array<double, 3> rgb_mean{};
};

struct Probe {
  std::string container, codec, pixel_format;
  int streams = 0, video_streams = 0, stream = 0;  // `stream` is the one that is read
  std::int64_t frames = 0;                         // true count
  std::optional<std::int64_t> header_frames;       // what the file says itself
  std::int64_t packets = 0, key_frames = 0;
  int stored_width = 0, stored_height = 0, width = 0, height = 0;  // as decoded; as shown
  int rotation = 0;          // degrees, counter-clockwise, that the container asks for
  std::string pixel_aspect;  // "1:1"
  double fps = 0, header_fps = 0, duration_seconds = 0;
  std::string time_base, colour_space, colour_range, field_order;  // empty: not stated
  Damage damage;
  std::vector<ProbedFrame> shown;  // in the order they were asked for
};

// `frames` may count from the end: -1 is the last one. Throws MediaError when the file holds no frame, or not
// one of those asked for.
Probe probe_video(const std::filesystem::path&, std::span<const std::int64_t> frames = {},
                  const ReaderOptions& = {});

// The same decoding for its damage alone.
struct Checked {
  std::int64_t frames = 0;
  Damage damage;
};
Checked check_video(const std::filesystem::path&, const ReaderOptions& = {});

}  // namespace marey::media
