// Damaged files end in a clear error or in frames, never in a crash or a hang.
#include "media/test_clip.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/files.hpp>
#include <marey/core/random.hpp>

#include <cstdlib>

using namespace marey;

namespace {

// Opens the file and reads some frames in no particular order.
void read_some(const std::filesystem::path& path) {
  try {
    media::VideoReader reader(path, {.time_limit_seconds = 20});
    const auto n = reader.info().frames;
    CHECK(n > 0);
    const media::FrameGeometry geometry{
        {0, 0, static_cast<double>(reader.info().width), static_cast<double>(reader.info().height)}, 16, 16};
    for (const std::int64_t i : {n - 1, std::int64_t{0}, n / 2}) test::read_frames(reader, {i}, geometry);
  } catch (const media::MediaError& e) {
    CHECK(std::string(e.what()).find(path.string()) == 0);
  }
}

int rounds() {  // more of them for a long search: MAREY_FUZZ_ROUNDS
  const char* asked = std::getenv("MAREY_FUZZ_ROUNDS");
  return asked ? std::atoi(asked) : 12;
}

}  // namespace

TEST_CASE("damaged clips give an error or frames") {
  test::TemporaryFolder folder;
  for (const char* name : {"a.mp4", "a.avi", "a.mkv", "b.mp4"}) {
    media::WriterOptions options{.width = 48, .height = 32, .gop = 8};
    if (std::string(name) == "a.avi") options.codec = "mpeg4", options.quality = 3;
    if (std::string(name) == "b.mp4") options.b_frames = 0;
    const std::string sound = read_file(test::write_clip(folder.path() / name, 24, options));
    for (int round = 0; round < rounds(); ++round) {
      Random random(1, static_cast<std::uint64_t>(name[0]) + static_cast<std::uint64_t>(name[2]),
                    static_cast<std::uint64_t>(round));
      std::string bytes = sound;
      const auto last = static_cast<std::int64_t>(bytes.size()) - 1;
      if (random.chance(0.3)) bytes.resize(static_cast<std::size_t>(random.integer(0, last)));
      for (auto flips = random.integer(0, 30); flips > 0 && !bytes.empty(); --flips) {
        const auto at =
            static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(bytes.size()) - 1));
        bytes[at] = static_cast<char>(random.bits());
      }
      INFO(name << " round " << round);
      read_some(folder.write(std::string("damaged_") + name, bytes));
    }
  }
}

TEST_CASE("a file that ends early has the frames before its end") {
  test::TemporaryFolder folder;
  const auto path =
      test::write_clip(folder.path() / "a.mkv", 100, {.width = 48, .height = 32, .b_frames = 0, .gop = 10});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  media::VideoReader reader(path);
  const auto n = reader.info().frames;
  CHECK((n > 20 && n < 80));
  CHECK(test::difference(test::read_frame(reader, n / 2),
                         test::numbered_frame(static_cast<int>(n / 2), 48, 32)) < 8);
}
