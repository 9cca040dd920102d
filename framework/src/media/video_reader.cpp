#include "media/converter.hpp"
#include "media/decoder.hpp"
#include "media/frame_index.hpp"
#include "media/input.hpp"
#include "media/orientation.hpp"
#include "media/playback.hpp"
#include "media/watch.hpp"

#include <marey/media/video_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>

namespace marey::media {

struct VideoReader::Impl {
  Impl(const std::filesystem::path& path, const ReaderOptions& options)
      : watch(options.time_limit_seconds, options.cancelled),
        input(path, options, watch),
        decoder(path, input.codec(), *input.stream().codecpar, options),
        index(input, decoder, watch),
        playback(input, decoder, index, watch, stats),
        turn(options.rotate ? orientation_of(input.stream()) : Orientation{}) {
    const AVCodecParameters& p = *input.stream().codecpar;
    info.frames = index.frames();
    info.width = turn.transpose ? p.height : p.width;
    info.height = turn.transpose ? p.width : p.height;
    info.fps = index.fps();
    info.duration_seconds = index.duration_seconds();
    info.key_frames = index.key_packets();
    info.codec = avcodec_get_name(p.codec_id);
    info.container = input.container();
    if (p.width < 1 || p.height < 1) fail(path, "the size of the frames is unknown");
  }

  void read(std::span<const FrameRequest> requests) {
    watch.start();
    for (const auto& r : requests)
      if (r.index < 0 || r.index >= info.frames)
        fail(input.path(),
             fmt::format("frame {} was asked for; the video has frames 0 to {}", r.index, info.frames - 1));
    std::vector<std::size_t> by_index(requests.size());
    std::iota(by_index.begin(), by_index.end(), std::size_t{0});
    std::stable_sort(by_index.begin(), by_index.end(),
                     [&](auto a, auto b) { return requests[a].index < requests[b].index; });
    std::vector<std::int64_t> wanted;
    for (auto i : by_index)
      if (wanted.empty() || wanted.back() != requests[i].index) wanted.push_back(requests[i].index);

    playback.play(wanted, [&](std::int64_t frame_index, const AVFrame& frame) {
      auto i = std::partition_point(by_index.begin(), by_index.end(),
                                    [&](auto k) { return requests[k].index < frame_index; });
      for (; i != by_index.end() && requests[*i].index == frame_index; ++i) convert(frame, requests[*i]);
    });
  }

  // The first frame that begins at this time or later.
  std::int64_t first_from(double seconds) const {
    constexpr double slack = 1e-6;
    const auto all = std::views::iota(std::int64_t{0}, info.frames);
    return std::ranges::partition_point(all,
                                        [&](std::int64_t i) { return index.seconds(i) < seconds - slack; }) -
           all.begin();
  }

  void convert(const AVFrame& frame, const FrameRequest& request) {
    try {
      converter.convert(frame, request.geometry, turn, info.width, info.height, request.pixels);
    } catch (const DataError& e) {
      fail(input.path(), fmt::format("frame {}: {}", request.index, e.what()));
    }
    ++stats.converted;
  }

  Watch watch;
  ReadStats stats;
  Input input;
  Decoder decoder;
  FrameIndex index;
  Playback playback;
  Orientation turn;
  Converter converter;
  VideoInfo info;
};

VideoReader::VideoReader(const std::filesystem::path& path, ReaderOptions options)
    : impl_(std::make_unique<Impl>(path, options)) {}
VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

const VideoInfo& VideoReader::info() const { return impl_->info; }
void VideoReader::read(std::span<const FrameRequest> requests) { impl_->read(requests); }
const ReadStats& VideoReader::stats() const { return impl_->stats; }

VideoReader::Range VideoReader::frames_between(double begin_seconds, double end_seconds) const {
  return {impl_->first_from(begin_seconds), impl_->first_from(end_seconds)};
}

std::int64_t VideoReader::frame_at(double seconds) const {
  constexpr double twice_slack = 2e-6;  // the frame that begins now is shown
  return std::max(std::int64_t{0}, impl_->first_from(seconds + twice_slack) - 1);
}

double VideoReader::pts_seconds(std::int64_t index) const {
  if (index < 0 || index >= impl_->info.frames)
    fail(impl_->input.path(), fmt::format("the time of frame {} was asked for; the video has frames 0 to {}",
                                          index, impl_->info.frames - 1));
  return impl_->index.seconds(index);
}

}  // namespace marey::media
