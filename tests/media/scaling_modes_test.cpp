// The ways of scaling through the reader.
#include "media/resample.hpp"
#include "media/test_clip.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace marey;
using media::FrameGeometry;
using media::Scaling;

namespace {

// Rows and columns of a picture.
test::Pixels part(const test::Pixels& from, int width, int x, int y, int w, int h) {
  test::Pixels out;
  for (int r = y; r < y + h; ++r) {
    const auto* row =
        &from[(static_cast<std::size_t>(r) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) *
              3];
    out.insert(out.end(), row, row + std::ptrdiff_t{w} * 3);
  }
  return out;
}

}  // namespace

TEST_CASE("exact scaling of a part is that part of the scaled whole, to the byte") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.mp4", 4, {.width = 96, .height = 64, .quality = 5});
  media::VideoReader reader(path);
  for (const auto scaling : {Scaling::torch, Scaling::cv2, Scaling::pillow})
    for (const auto& [width, height] : {std::pair(48, 40), std::pair(131, 77), std::pair(96, 64)}) {
      INFO("scaling " << static_cast<int>(scaling) << " to " << width << "x" << height);
      const media::Rect all{0, 0, 96, 64};
      const FrameGeometry whole{
          .crop = all, .out_width = width, .out_height = height, .flip = false, .scaling = scaling};
      const auto scaled = test::read_frames(reader, {2}, whole).front();
      const double sx = 96.0 / width, sy = 64.0 / height;
      const FrameGeometry crop{.crop = {11 * sx, 7 * sy, 30 * sx, 20 * sy},
                               .out_width = 30,
                               .out_height = 20,
                               .flip = false,
                               .scaling = scaling,
                               .bounds = all};
      CHECK(test::difference(test::read_frames(reader, {2}, crop).front(),
                             part(scaled, width, 11, 7, 30, 20)) == 0);
      FrameGeometry mirrored = crop;
      mirrored.flip = true;
      const auto turned = test::read_frames(reader, {2}, mirrored).front();
      CHECK(std::equal(turned.begin(), turned.begin() + 3, scaled.begin() + (7 * width + 40) * 3));
    }
}

TEST_CASE("exact scaling of a crop takes nothing from beyond it") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.mp4", 4, {.width = 96, .height = 64, .quality = 5});
  media::VideoReader reader(path);
  const auto frame = test::read_frame(reader, 2);
  const auto cut = part(frame, 96, 31, 9, 21, 15);
  for (const auto scaling : {Scaling::torch, Scaling::cv2, Scaling::pillow})
    for (const auto& [width, height] : {std::pair(10, 8), std::pair(40, 33), std::pair(21, 15)}) {
      INFO("scaling " << static_cast<int>(scaling) << " to " << width << "x" << height);
      const FrameGeometry g{
          .crop = {31, 9, 21, 15}, .out_width = width, .out_height = height, .scaling = scaling};
      test::Pixels expected(static_cast<std::size_t>(width * height) * 3);
      media::resample(scaling, cut.data(), {21, 0, 21.0 / width, width, 0, 21},
                      {15, 0, 15.0 / height, height, 0, 15}, expected.data());
      CHECK(test::difference(test::read_frames(reader, {2}, g).front(), expected) == 0);
    }
}

TEST_CASE("exact scaling to the same size is the precise picture, and the quick picture is close to it") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.mp4", 4, {.width = 96, .height = 64, .quality = 5});
  media::VideoReader reader(path);
  FrameGeometry g = test::whole(reader.info());
  const auto precise = test::read_frames(reader, {1}, g).front();
  for (const auto scaling : {Scaling::torch, Scaling::cv2, Scaling::pillow}) {
    g.scaling = scaling;
    CHECK(test::read_frames(reader, {1}, g).front() == precise);
  }
  g.scaling = Scaling::fast;
  const auto quick = test::read_frames(reader, {1}, g).front();
  CHECK(test::difference(quick, precise) < 4);  // colour at half resolution beside a hard edge
  CHECK(quick != precise);
  g.out_width = 48, g.out_height = 32;
  const auto quick_small = test::read_frames(reader, {1}, g).front();
  g.scaling = Scaling::precise;
  CHECK(test::difference(quick_small, test::read_frames(reader, {1}, g).front()) < 4);
}
