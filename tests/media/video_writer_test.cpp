#include "media/test_clip.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/files.hpp>

using namespace marey;

TEST_CASE("written clips read back frame by frame") {
  struct Case {
    const char* name;
    media::WriterOptions options;
  };
  const std::vector<Case> cases = {
      {"b.mp4", {.width = 64, .height = 48, .fps = 25, .b_frames = 3, .gop = 12, .quality = 10}},
      {"no_b.mp4", {.width = 64, .height = 48, .fps = 15, .b_frames = 0, .gop = 5, .quality = 10}},
      {"mpeg4.avi", {.width = 64, .height = 48, .fps = 30, .codec = "mpeg4", .quality = 2}},
      {"mpeg4_b.avi", {.width = 64, .height = 48, .fps = 30, .codec = "mpeg4", .b_frames = 2, .quality = 2}},
      {"mpeg4_b.mp4", {.width = 64, .height = 48, .fps = 30, .codec = "mpeg4", .b_frames = 2, .quality = 2}},
      {"b.mkv", {.width = 64, .height = 48, .fps = 25, .b_frames = 3, .quality = 10}},
      {"odd.mp4", {.width = 63, .height = 47, .quality = 10}},
      {"odd.avi", {.width = 63, .height = 47, .codec = "mpeg4", .quality = 2}},
  };
  test::TemporaryFolder folder;
  for (const auto& [name, options] : cases) {
    INFO(name);
    const auto path = test::write_clip(folder.path() / name, 29, options);
    media::VideoReader reader(path);
    CHECK(reader.info().frames == 29);
    CHECK(reader.info().width == options.width);
    CHECK(reader.info().height == options.height);
    CHECK(reader.info().fps == Approx(options.fps).margin(0.2));
    CHECK(reader.info().duration_seconds == Approx(29.0 / options.fps).margin(0.05));
    for (int n : {28, 0, 13, 14, 7}) {
      INFO("frame " << n);
      const auto frame = test::read_frame(reader, n);
      const auto from = [&](int k) {
        return test::difference(frame, test::numbered_frame(k, options.width, options.height));
      };
      CHECK(from(n) < 5);
      CHECK(from(n) < from(n + 1));
      CHECK((n == 0 || from(n) < from(n - 1)));
    }
  }
}

TEST_CASE("an unfinished or impossible clip leaves no file") {
  test::TemporaryFolder folder;
  const auto path = folder.path() / "half.mp4";
  {
    media::VideoWriter writer(path, {.width = 32, .height = 32});
    writer.add(test::numbered_frame(0, 32, 32).data());
    CHECK(std::filesystem::exists(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_THROWS_AS(media::VideoWriter(path, {.width = 32, .height = 32, .codec = "no_such"}),
                  media::MediaError);
  CHECK_THROWS_AS(media::VideoWriter(path, {.width = 0, .height = 32}), media::MediaError);
  CHECK_THROWS_AS(media::VideoWriter(folder.path() / "a.unknown", {.width = 32, .height = 32}),
                  media::MediaError);
  CHECK_THROWS_AS(media::VideoWriter(folder.path() / "no" / "folder.mp4", {.width = 32, .height = 32}),
                  media::MediaError);
  media::VideoWriter empty(path, {.width = 32, .height = 32});
  CHECK_THROWS_AS(empty.finish(), media::MediaError);
}

TEST_CASE("a clip is the same bytes each time it is written") {
  test::TemporaryFolder folder;
  const media::WriterOptions options{.width = 112, .height = 112, .b_frames = 3};
  const auto write = [&](const char* name) {
    std::vector<test::Pixels> dirt;  // leaves other bytes behind in free memory
    for (std::size_t k = 1; k < 40; ++k) dirt.emplace_back(k * 3001, static_cast<std::uint8_t>(k * name[0]));
    dirt.clear();
    return xxh3_file(test::write_clip(folder.path() / name, 30, options));
  };
  const auto first = write("a.mp4");
  for (const char* name : {"b.mp4", "c.mp4", "d.mp4"}) CHECK(write(name) == first);
}
