// Composition of geometry steps against the same steps done one after the other on coordinates.
#include "support/catch.hpp"

#include <marey/core/random.hpp>
#include <marey/data/geometry.hpp>

using namespace marey::data;
using marey::media::FrameGeometry;
using marey::media::Rect;
using marey::media::VideoInfo;

namespace {

// The place in the source that stands at (x, y) of the output; pixel centres are at .5.
double source_x(const FrameGeometry& g, double x) {
  if (g.flip) x = g.out_width - x;
  return g.crop.x + x * g.crop.width / g.out_width;
}
double source_y(const FrameGeometry& g, double y) { return g.crop.y + y * g.crop.height / g.out_height; }

}  // namespace

TEST_CASE("a whole frame") {
  const auto g = whole_frame(VideoInfo{.frames = 1, .width = 320, .height = 240});
  CHECK(g == FrameGeometry{.crop = {0, 0, 320, 240}, .out_width = 320, .out_height = 240});
}

TEST_CASE("resize then centre crop becomes one source crop") {
  auto g = whole_frame(VideoInfo{.frames = 1, .width = 640, .height = 512});
  g = cropped(resized(g, 320, 256), {48, 16, 224, 224});
  CHECK(g == FrameGeometry{.crop = {96, 32, 448, 448}, .out_width = 224, .out_height = 224});
}

TEST_CASE("a crop after a flip counts from the mirrored edge") {
  auto g = flipped(whole_frame(VideoInfo{.frames = 1, .width = 100, .height = 50}));
  g = cropped(g, {10, 0, 20, 50});
  CHECK(g == FrameGeometry{.crop = {70, 0, 20, 50}, .out_width = 20, .out_height = 50, .flip = true});
  CHECK(flipped(g).flip == false);
}

TEST_CASE("any chain of steps sees the same places as its steps in turn") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    marey::Random random(2, 0, run);
    const VideoInfo info{.frames = 1,
                         .width = static_cast<int>(random.integer(20, 400)),
                         .height = static_cast<int>(random.integer(20, 400))};
    FrameGeometry g = whole_frame(info);
    // In step: the source place of an output place, kept as one affine map per axis.
    double ax = 1, bx = 0, ay = 1, by = 0;
    for (int step = 0; step < 6; ++step) {
      const double w = g.out_width, h = g.out_height;
      switch (random.integer(0, 2)) {
        case 0: {
          const int nw = static_cast<int>(random.integer(1, 300)),
                    nh = static_cast<int>(random.integer(1, 300));
          g = resized(g, nw, nh);
          ax *= w / nw;
          ay *= h / nh;
          break;
        }
        case 1: {
          const auto cw = random.integer(1, g.out_width), ch = random.integer(1, g.out_height);
          const auto x = random.integer(0, g.out_width - cw), y = random.integer(0, g.out_height - ch);
          g = cropped(g, Rect{double(x), double(y), double(cw), double(ch)});
          bx += ax * double(x);
          by += ay * double(y);
          break;
        }
        default:
          g = flipped(g);
          bx += ax * w;
          ax = -ax;
      }
    }
    for (const double t : {0.0, 0.25, 1.0}) {
      CHECK(source_x(g, t * g.out_width) == Approx(ax * t * g.out_width + bx).margin(1e-6));
      CHECK(source_y(g, t * g.out_height) == Approx(ay * t * g.out_height + by).margin(1e-6));
    }
    CHECK(g.crop.x > -1e-6);
    CHECK(g.crop.x + g.crop.width < info.width + 1e-6);
  }
}
