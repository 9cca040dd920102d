// Video files through libav: exact frames by index, in any order.
#pragma once
#include <marey/core/error.hpp>
#include <marey/media/frame_source.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace marey::media {

// What is wrong with one file: its name, libav's reason. Ends a run with exit code 3 under the policy `fail`.
struct MediaError : DataError {
  using DataError::DataError;
};

// A video inside a larger file, such as an archive.
struct FilePart {
  std::int64_t offset = 0, bytes = 0;
  std::string name;  // of the video, for messages
};

struct ReaderOptions {
  int threads = 1;                          // decoder threads; workers already fill the cores
  bool rotate = true;                       // apply the rotation that the container asks for
  std::int64_t max_pixels = 8192LL * 4608;  // of one frame
  int max_streams = 64;
  double time_limit_seconds = 60;        // for opening, scanning and one read each
  std::function<bool()> cancelled = {};  // asked during blocking work
  std::optional<FilePart> part = {};     // the whole file without it
};

class VideoReader final : public FrameSource {
 public:
  // Opens the file with the file protocol only and scans its packets for a frame index. Throws MediaError.
  explicit VideoReader(const std::filesystem::path&, ReaderOptions = {});
  ~VideoReader() override;
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  const VideoInfo& info() const override;
  void read(std::span<const FrameRequest>) override;
  const ReadStats& stats() const override;
  double pts_seconds(std::int64_t index) const;  // of a frame, from the first frame's pts
  // The frame that is shown at this time; the first or last one before or after all.
  std::int64_t frame_at(double seconds) const;
  // The frames that begin in [begin, end) seconds. A microsecond is let pass, for times that were computed.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  Range frames_between(double begin_seconds, double end_seconds) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace marey::media
