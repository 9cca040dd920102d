#include <marey/data/geometry.hpp>

namespace marey::data {

media::FrameGeometry whole_frame(const media::VideoInfo& info) {
  return {.crop = {0, 0, static_cast<double>(info.width), static_cast<double>(info.height)},
          .out_width = info.width,
          .out_height = info.height,
          .flip = false};
}

media::FrameGeometry resized(media::FrameGeometry g, int width, int height) {
  g.out_width = width;
  g.out_height = height;
  return g;
}

media::FrameGeometry cropped(media::FrameGeometry g, const media::Rect& r) {
  const double scale_x = g.crop.width / g.out_width, scale_y = g.crop.height / g.out_height;
  // Exact scaling reads beyond a crop that was made after it, as the picture was scaled whole.
  if (media::is_exact(g.scaling) && (scale_x != 1 || scale_y != 1) && g.bounds == media::Rect{})
    g.bounds = g.crop;
  const double left =
      g.flip ? g.out_width - r.x - r.width : r.x;  // the flip comes last, so crop on its other side
  g.crop = {g.crop.x + left * scale_x, g.crop.y + r.y * scale_y, r.width * scale_x, r.height * scale_y};
  g.out_width = static_cast<int>(r.width);
  g.out_height = static_cast<int>(r.height);
  return g;
}

media::FrameGeometry flipped(media::FrameGeometry g) {
  g.flip = !g.flip;
  return g;
}

}  // namespace marey::data
