// Video files through libav: exact frames by index, in any order.
#pragma once
#include <marey/core/error.hpp>
#include <marey/media/frame_source.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace marey::media {

// What is wrong with one file: its name, libav's reason. Ends a run with exit code 3 under the policy `fail`.
struct MediaError : DataError {
  using DataError::DataError;
};

struct ReaderOptions {
  int threads = 1;                          // decoder threads; workers already fill the cores
  bool rotate = true;                       // apply the rotation that the container asks for
  std::int64_t max_pixels = 8192LL * 4608;  // of one frame
  int max_streams = 64;
  double time_limit_seconds = 60;        // for opening, scanning and one read each
  std::function<bool()> cancelled = {};  // asked during blocking work
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

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace marey::media
