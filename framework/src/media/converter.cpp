#include "media/converter.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace marey::media {
namespace {

constexpr std::size_t max_scalers = 8;  // three crops, two resolutions and some spare
constexpr int max_out_side = 16384;
constexpr int row_alignment = 64;  // swscale's vector code writes whole vectors
constexpr int vector_pixels = 16;  // that one writes at most

// The J formats are their plain twins in full range.
AVPixelFormat plain(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P:
      return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P:
      return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P:
      return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P:
      return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P:
      return AV_PIX_FMT_YUV411P;
    default:
      return format;
  }
}

// Chroma samples sit between luma samples; a crop that starts on an odd pixel shifts them by one luma pixel.
// In 1/256 of a luma pixel, for chroma of half resolution.
constexpr int chroma_position(bool odd) { return odd ? 128 - 256 : 128; }

void scale(SwsContext& scaler, const std::uint8_t* const planes[4], const AVFrame& frame, int height,
           std::uint8_t* out, int stride) {
  std::uint8_t* const targets[4] = {out};
  const int strides[4] = {stride};
  const int scaled = sws_scale(&scaler, planes, frame.linesize, 0, height, targets, strides);
  if (scaled < 0) throw DataError(fmt::format("pixels cannot be converted: {}", reason(scaled)));
}

}  // namespace

PixelRect snap(const Rect& crop, int width, int height) {
  const bool finite = std::isfinite(crop.x) && std::isfinite(crop.y) && std::isfinite(crop.width) &&
                      std::isfinite(crop.height);
  constexpr double slack = 0.5 + 1e-6;
  if (!finite || crop.width <= 0 || crop.height <= 0 || crop.x < -slack || crop.y < -slack ||
      crop.x + crop.width > width + slack || crop.y + crop.height > height + slack)
    throw DataError(
        fmt::format("the crop x {} y {} width {} height {} does not lie within the frame of {}x{}", crop.x,
                    crop.y, crop.width, crop.height, width, height));
  const auto edge = [](double at, int limit) {
    return std::clamp(static_cast<int>(std::lround(at)), 0, limit);
  };
  PixelRect r;
  r.x = std::min(edge(crop.x, width), width - 1);
  r.y = std::min(edge(crop.y, height), height - 1);
  r.width = std::max(1, edge(crop.x + crop.width, width) - r.x);
  r.height = std::max(1, edge(crop.y + crop.height, height) - r.y);
  return r;
}

SwsContext& Converter::scaler_for(const Shape& shape) {
  for (auto& e : scalers_)
    if (e.shape == shape) return *e.scaler;
  ScalerHandle scaler(sws_alloc_context());
  if (!scaler) throw std::bad_alloc();
  const bool scales = shape.width != shape.out_width || shape.height != shape.out_height;
  // Bilinear with anti-aliasing when the size changes; colour then at half the output's width, which the eye
  // hardly notices and which takes a third of the time.
  const int precise =
      SWS_ACCURATE_RND | SWS_BITEXACT | (scales ? SWS_BILINEAR : SWS_BICUBIC | SWS_FULL_CHR_H_INT);
  const int flags = shape.fast ? SWS_BILINEAR : precise;
  const auto set = [&](const char* name, int value) { av_opt_set_int(scaler.get(), name, value, 0); };
  set("srcw", shape.width);
  set("srch", shape.height);
  set("src_format", shape.format);
  set("dstw", shape.out_width);
  set("dsth", shape.out_height);
  set("dst_format", AV_PIX_FMT_RGB24);
  set("sws_flags", flags);
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(shape.format));
  if (format->log2_chroma_w == 1) set("src_h_chr_pos", chroma_position(shape.odd_x != 0));
  if (format->log2_chroma_h == 1) set("src_v_chr_pos", chroma_position(shape.odd_y != 0));
  const int* matrix = sws_getCoefficients(shape.colorspace);
  // Before the start, so that the tables are made once; the result only says whether the formats have a
  // matrix at all.
  sws_setColorspaceDetails(scaler.get(), matrix, shape.full_range, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0,
                           1 << 16, 1 << 16);
  const int started = sws_init_context(scaler.get(), nullptr, nullptr);
  if (started < 0)
    throw DataError(fmt::format("pixels of format {} cannot be converted from {}x{} to {}x{}: {}",
                                format->name, shape.width, shape.height, shape.out_width, shape.out_height,
                                reason(started)));
  if (scalers_.size() == max_scalers) scalers_.pop_front();
  scalers_.push_back({shape, std::move(scaler)});
  return *scalers_.back().scaler;
}

void Converter::convert(const AVFrame& frame, const FrameGeometry& geometry, const Orientation& turn,
                        int shown_width, int shown_height, std::uint8_t* out) {
  if (geometry.out_width < 1 || geometry.out_height < 1 || geometry.out_width > max_out_side ||
      geometry.out_height > max_out_side)
    throw DataError(fmt::format("a frame cannot be scaled to {}x{}; each side must be 1 to {}",
                                geometry.out_width, geometry.out_height, max_out_side));
  if (is_exact(geometry.scaling)) return convert_exact(frame, geometry, turn, shown_width, shown_height, out);
  const PixelRect shown = snap(geometry.crop, shown_width, shown_height);
  const double stored_width = turn.transpose ? shown_height : shown_width;
  const double stored_height = turn.transpose ? shown_width : shown_height;
  Rect stored = to_stored(turn,
                          {static_cast<double>(shown.x), static_cast<double>(shown.y),
                           static_cast<double>(shown.width), static_cast<double>(shown.height)},
                          stored_width, stored_height);
  const double zoom_x = frame.width / stored_width, zoom_y = frame.height / stored_height;
  stored = {stored.x * zoom_x, stored.y * zoom_y, stored.width * zoom_x, stored.height * zoom_y};
  const PixelRect part = snap(stored, frame.width, frame.height);

  auto format = static_cast<AVPixelFormat>(frame.format);
  const bool full_range = frame.color_range == AVCOL_RANGE_JPEG || plain(format) != format;
  format = plain(format);
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  if (!description || !sws_isSupportedInput(format))
    throw DataError(
        fmt::format("pixels of format {} cannot be converted", description ? description->name : "?"));

  const std::uint8_t* planes[4] = {};
  for (int i = 0; i < 4 && frame.data[i]; ++i) {
    const bool chroma = (i == 1 || i == 2) && !(description->flags & AV_PIX_FMT_FLAG_PAL);
    const bool palette = i == 1 && (description->flags & AV_PIX_FMT_FLAG_PAL);
    int step = 1;
    for (int c = 0; c < description->nb_components; ++c)
      if (description->comp[c].plane == i) step = description->comp[c].step;
    const int x = chroma ? part.x >> description->log2_chroma_w : part.x;
    const int y = chroma ? part.y >> description->log2_chroma_h : part.y;
    planes[i] = palette ? frame.data[i]
                        : frame.data[i] + std::ptrdiff_t{y} * frame.linesize[i] + std::ptrdiff_t{x} * step;
  }
  const int width = turn.transpose ? geometry.out_height : geometry.out_width;
  const int height = turn.transpose ? geometry.out_width : geometry.out_height;
  SwsContext& scaler = scaler_for({format, full_range ? 1 : 0, frame.colorspace, part.width, part.height,
                                   part.x & ((1 << description->log2_chroma_w) - 1),
                                   part.y & ((1 << description->log2_chroma_h) - 1), width, height,
                                   geometry.scaling == Scaling::fast});
  // Whole vectors end where the row ends; else padded rows, because vector code may write past the last
  // pixel.
  const bool straight = !turn.transpose && !turn.mirror_x && !turn.mirror_y && !geometry.flip;
  if (straight && width % vector_pixels == 0 && reinterpret_cast<std::uintptr_t>(out) % vector_pixels == 0)
    return scale(scaler, planes, frame, part.height, out, width * 3);
  const int stride = (width * 3 + 2 * row_alignment - 1) / row_alignment * row_alignment;
  rows_.resize(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height) + 2 * row_alignment);
  auto* rows =
      rows_.data() + (row_alignment - reinterpret_cast<std::uintptr_t>(rows_.data()) % row_alignment);
  scale(scaler, planes, frame, part.height, rows, stride);
  copy_turned(turn, rows, stride, geometry.out_width, geometry.out_height, geometry.flip, out);
}

}  // namespace marey::media
