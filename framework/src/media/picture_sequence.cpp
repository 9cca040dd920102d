#include "media/converter.hpp"
#include "media/picture_decoder.hpp"

#include <marey/media/picture_sequence.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace marey::media {

struct PictureSequence::Impl {
  std::unique_ptr<PictureStore> store;
  PictureOptions options;
  VideoInfo info;
  ReadStats stats;
  PictureDecoder decoder;
  Converter converter;
  std::string bytes;
  std::int64_t held = -1;  // the index that `bytes` belongs to, until they are decoded

  Impl(std::unique_ptr<PictureStore> s, PictureOptions o)
      : store(std::move(s)), options(std::move(o)), decoder(options.max_pixels) {}

  void fetch(std::int64_t index) {
    if (held == index) return;
    if (options.cancelled && options.cancelled())
      throw MediaError(fmt::format("{}: given up: cancelled", store->name(index)));
    held = -1;
    store->get(index, bytes);
    ++stats.packets;
    held = index;
  }

  void measure() {
    info.frames = store->frames();
    if (info.frames < 1) throw MediaError(fmt::format("{}: there are no frames", store->name(0)));
    info.fps = options.fps;
    if (options.fps > 0) info.duration_seconds = static_cast<double>(info.frames) / options.fps;
    info.container = "pictures";
    fetch(0);
    info.codec = avcodec_get_name(picture_format(bytes));
    if (const auto size = picture_size(bytes)) {
      info.width = size->width;
      info.height = size->height;
      return;
    }
    const AVFrame& frame = decoder.decode(bytes, store->name(0));
    ++stats.decoded;
    info.width = frame.width;
    info.height = frame.height;
  }
};

PictureSequence::PictureSequence(std::unique_ptr<PictureStore> store, PictureOptions options)
    : impl_(std::make_unique<Impl>(std::move(store), std::move(options))) {
  impl_->measure();
}
PictureSequence::~PictureSequence() = default;

const VideoInfo& PictureSequence::info() const { return impl_->info; }
const ReadStats& PictureSequence::stats() const { return impl_->stats; }

void PictureSequence::read(std::span<const FrameRequest> requests) {
  Impl& m = *impl_;
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return requests[i].index; });
  const AVFrame* frame = nullptr;
  std::int64_t decoded = -1;
  for (const std::size_t i : order) {
    const FrameRequest& request = requests[i];
    if (request.index < 0 || request.index >= m.info.frames)
      throw MediaError(
          fmt::format("{}: no frame {}; there are {}", m.store->name(0), request.index, m.info.frames));
    if (decoded != request.index) {
      m.fetch(request.index);
      m.held = -1;
      frame = &m.decoder.decode(m.bytes, m.store->name(request.index));
      ++m.stats.decoded;
      decoded = request.index;
    }
    try {
      m.converter.convert(*frame, request.geometry, {}, m.info.width, m.info.height, request.pixels);
    } catch (const MediaError&) {
      throw;
    } catch (const DataError& e) {
      fail(m.store->name(request.index), e.what());
    }
    ++m.stats.converted;
  }
}

}  // namespace marey::media
