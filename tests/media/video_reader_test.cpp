// The reader on clips made here: what a request means, what it costs, and what is refused.
#include "media/test_clip.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <cmath>
#include <string>

using namespace marey;

namespace {

test::Pixels cut(const test::Pixels& from, int width, int x, int y, int w, int h, bool flip) {
  test::Pixels out;
  for (int r = y; r < y + h; ++r)
    for (int c = 0; c < w; ++c) {
      const int column = flip ? x + w - 1 - c : x + c;
      const auto* p = &from[(static_cast<std::size_t>(r) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(column)) *
                            3];
      out.insert(out.end(), p, p + 3);
    }
  return out;
}

std::string refusal(auto action) {
  try {
    action();
  } catch (const media::MediaError& e) {
    return e.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a crop is that part of the frame, at odd places too, and may be mirrored") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.mp4", 5, {.width = 64, .height = 48, .quality = 5});
  media::VideoReader reader(path);
  const auto frame = test::read_frame(reader, 3);
  for (auto [x, y, w, h] :
       {std::array{0, 0, 64, 48}, {7, 5, 21, 33}, {8, 6, 20, 30}, {63, 47, 1, 1}, {1, 0, 63, 48}})
    for (bool flip : {false, true}) {
      INFO(x << " " << y << " " << w << "x" << h << " flip " << flip);
      const media::FrameGeometry g{{double(x), double(y), double(w), double(h)}, w, h, flip};
      // Chroma at the edge of a crop is interpolated from within it.
      CHECK(test::difference(test::read_frames(reader, {3}, g).front(), cut(frame, 64, x, y, w, h, flip)) <
            1.5);
    }
  const media::FrameGeometry half{{0, 12, 64, 36}, 32, 18};  // the grey part, scaled
  const auto small = test::read_frames(reader, {3}, half).front();
  CHECK(int{small[small.size() / 2]} == Approx(30 + 3 * 6).margin(3));
  CHECK(small.size() == 32u * 18 * 3);
}

TEST_CASE("pixels stay within their memory, and do not depend on where it lies") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.mp4", 1, {.width = 176, .height = 96});
  media::VideoReader reader(path);
  constexpr int height = 6, guard = 256;
  for (int width = 1; width <= 176; width += width % 16 == 0 ? 1 : width < 32 ? 1 : 5)
    for (const auto scaling : {media::Scaling::precise, media::Scaling::fast})
      for (const double zoom : {1.0, 0.5}) {
        INFO(width << " pixels, scaling " << static_cast<int>(scaling) << ", zoom " << zoom);
        const media::FrameGeometry geometry{
            {0, 0, std::min(176.0, width / zoom), height / zoom}, width, height, false, scaling};
        const std::size_t bytes = std::size_t{3} * static_cast<std::size_t>(width) * height;
        std::array<test::Pixels, 2> results;
        for (std::size_t shift = 0; shift < 2; ++shift) {  // the start of a vector, and not
          test::Pixels memory(64 + bytes + guard, 0xa5);
          auto* out =
              memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 + shift;
          const media::FrameRequest request{0, geometry, out};
          reader.read({&request, 1});
          results[shift].assign(out, out + bytes);
          auto* const end = memory.data() + memory.size();
          CHECK(std::all_of(out + bytes, end, [](auto v) { return v == 0xa5; }));
        }
        CHECK(results[0] == results[1]);
      }
}

TEST_CASE("crops outside the frame and impossible sizes are refused") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.avi", 3,
                                     {.width = 64, .height = 48, .codec = "mpeg4", .quality = 3});
  media::VideoReader reader(path);
  std::vector<std::uint8_t> pixels(64 * 48 * 3);
  const auto read = [&](std::int64_t index, media::FrameGeometry g) {
    const media::FrameRequest request{index, g, pixels.data()};
    return refusal([&] { reader.read({&request, 1}); });
  };
  CHECK(read(0, {{0.4, 0, 63.9, 48}, 64, 48}).empty());  // rounding of a transform
  for (const media::Rect& r :
       {media::Rect{-2, 0, 10, 10}, {60, 0, 10, 10}, {0, 0, 0, 10}, {0, 0, NAN, 10}, {0, 40, 64, 12}})
    CHECK(contains(read(1, {r, 16, 16}), "a.avi: frame 1: the crop"));
  CHECK(contains(read(1, {{0, 0, 64, 48}, 0, 16}), "cannot be scaled"));
  CHECK(contains(read(3, {{0, 0, 64, 48}, 64, 48}), "frames 0 to 2"));
  CHECK(contains(read(-1, {{0, 0, 64, 48}, 64, 48}), "frame -1"));
  CHECK(read(2, {{0, 0, 64, 48}, 64, 48}).empty());  // and the reader still works
}

TEST_CASE("a frame asked for several times is decoded once") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.mp4", 20,
                                     {.width = 64, .height = 48, .codec = "mpeg4", .gop = 50, .quality = 3});
  media::VideoReader reader(path);
  const auto frames = test::read_frames(reader, {4, 0, 4, 4, 2}, test::whole(reader.info()));
  CHECK(frames[0] == frames[2]);
  CHECK(frames[0] == frames[3]);
  CHECK(reader.stats().converted == 5);
  CHECK(reader.stats().packets == 5);
  CHECK(reader.stats().decoded == 5);
  const auto before = reader.stats();
  test::read_frame(reader, 4);  // the last one is still at hand
  CHECK(reader.stats().packets == before.packets);
  test::read_frame(reader, 6);  // forward
  CHECK(reader.stats().seeks == before.seeks);
  CHECK(reader.stats().packets == before.packets + 2);
}

TEST_CASE("reading starts at the nearest key frame, not at the first") {
  test::TemporaryFolder folder;
  for (const char* name : {"a.mp4", "a.mkv", "a.avi"}) {
    INFO(name);
    media::WriterOptions options{.width = 64, .height = 48, .b_frames = 0, .gop = 10};
    if (std::string(name) == "a.avi") options.codec = "mpeg4", options.quality = 3;
    const auto path = test::write_clip(folder.path() / name, 200, options);
    media::VideoReader reader(path), forward(path);
    const auto late = test::read_frame(reader, 195);
    CHECK(reader.stats().packets <= 10);
    CHECK(reader.stats().seeks <= 2);
    test::read_frame(reader, 12);  // back
    CHECK(reader.stats().packets <= 20);
    std::vector<std::int64_t> all(200);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    CHECK(test::read_frames(forward, all, test::whole(forward.info()))[195] == late);
    CHECK(forward.stats().packets == 200);
    CHECK(forward.stats().decoded == 200);
  }
}

TEST_CASE("times of frames count from the first") {
  test::TemporaryFolder folder;
  media::VideoReader reader(
      test::write_clip(folder.path() / "a.mp4", 31, {.width = 32, .height = 32, .fps = 30, .b_frames = 2}));
  CHECK(reader.pts_seconds(0) == 0);
  CHECK(reader.pts_seconds(15) == Approx(0.5));
  CHECK_THROWS_AS(reader.pts_seconds(31), media::MediaError);
  CHECK(reader.info().fps == Approx(30));
}

TEST_CASE("blocking work ends when cancelled or too slow, and limits hold") {
  test::TemporaryFolder folder;
  const auto path = test::write_clip(folder.path() / "a.mp4", 40, {.width = 64, .height = 48});
  bool stop = false;
  media::VideoReader reader(path, {.cancelled = [&] { return stop; }});
  stop = true;
  CHECK(contains(refusal([&] { test::read_frame(reader, 30); }), "cancelled"));
  stop = false;
  CHECK(test::read_frame(reader, 30).size() == 64u * 48 * 3);
  CHECK(
      contains(refusal([&] { media::VideoReader(path, {.cancelled = [] { return true; }}); }), "cancelled"));
  CHECK(contains(refusal([&] { media::VideoReader(path, {.time_limit_seconds = 0}); }), "limit of 0 s"));
  CHECK(contains(refusal([&] { media::VideoReader(path, {.max_pixels = 1000}); }), "64x48"));
}

TEST_CASE("names are files, never protocols or lists of other files") {
  test::TemporaryFolder folder;
  const auto clip = test::write_clip(folder.path() / "a.mp4", 3, {.width = 32, .height = 32});
  CHECK(contains(refusal([&] { media::VideoReader("concat:" + clip.string()); }), "no such file"));
  const auto odd = folder.path() / "concat:a|b%03d.mp4";
  std::filesystem::copy_file(clip, odd);
  CHECK(media::VideoReader(odd).info().frames == 3);
  const auto list =
      folder.write("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.mp4\n#EXT-X-ENDLIST\n");
  CHECK_FALSE(refusal([&] { media::VideoReader{list}; }).empty());
  const auto parts = folder.write("list.txt", "ffconcat version 1.0\nfile a.mp4\n");
  CHECK_FALSE(refusal([&] { media::VideoReader{parts}; }).empty());
  CHECK(contains(refusal([&] { media::VideoReader(folder.path()); }), "folder"));
  CHECK(contains(refusal([&] { media::VideoReader(folder.write("e.mp4", "")); }), "empty"));
}
