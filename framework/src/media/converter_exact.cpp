// Exact scaling: RGB of the part that matters at full resolution, then the rule of another library.
#include "media/converter.hpp"
#include "media/resample.hpp"

#include <algorithm>
#include <cmath>

namespace marey::media {
namespace {

// Pixels around the crop that its borders may need, and as many again so that colour, which is interpolated
// when RGB is made, is the same as in the whole frame.
constexpr double colour_margin = 8;

struct Span {
  int begin = 0, end = 0;
};

// Whole pixels of one axis that the crop needs. Even ends keep colour of half resolution in its place; a
// frame of an odd size stretches it, so that only the whole has it in its place.
Span needed(double from, double length, int out, int size) {
  if (size % 2 != 0) return {0, size};
  const double margin = std::max(1.0, length / out) + colour_margin;
  const int begin = static_cast<int>(std::floor((from - margin) / 2)) * 2;
  const int end = static_cast<int>(std::ceil((from + length + margin) / 2)) * 2;
  return {std::max(0, begin), std::min(size, end)};
}

// `low` and `length` are the part that was scaled, in pixels of the frame.
Axis axis(const Span& span, double from, double length, int out, int low, int size) {
  return {.size = span.end - span.begin,
          .from = from - span.begin,
          .step = length / out,
          .out = out,
          .low = std::max(low - span.begin, 0),
          .high = std::min(low + size, span.end) - span.begin};
}

void mirror(std::uint8_t* pixels, int width, int height) {
  for (int y = 0; y < height; ++y, pixels += std::ptrdiff_t{width} * 3)
    for (int left = 0, right = width - 1; left < right; ++left, --right)
      std::swap_ranges(pixels + left * 3, pixels + left * 3 + 3, pixels + right * 3);
}

}  // namespace

void Converter::convert_exact(const AVFrame& frame, const FrameGeometry& g, const Orientation& turn,
                              int shown_width, int shown_height, std::uint8_t* out) {
  snap(g.crop, shown_width, shown_height);  // refuses what lies outside
  const PixelRect bounds =
      snap(g.bounds.width > 0 && g.bounds.height > 0 ? g.bounds : g.crop, shown_width, shown_height);
  const Span x = needed(g.crop.x, g.crop.width, g.out_width, shown_width);
  const Span y = needed(g.crop.y, g.crop.height, g.out_height, shown_height);
  const int width = x.end - x.begin, height = y.end - y.begin;
  const FrameGeometry region{.crop = {static_cast<double>(x.begin), static_cast<double>(y.begin),
                                      static_cast<double>(width), static_cast<double>(height)},
                             .out_width = width,
                             .out_height = height};
  region_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  convert(frame, region, turn, shown_width, shown_height, region_.data());
  resample(g.scaling, region_.data(), axis(x, g.crop.x, g.crop.width, g.out_width, bounds.x, bounds.width),
           axis(y, g.crop.y, g.crop.height, g.out_height, bounds.y, bounds.height), out);
  if (g.flip) mirror(out, g.out_width, g.out_height);
}

}  // namespace marey::media
