// marey data rawframes: names, sizes, rates, resumption, the report, and reading the result back.
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <marey/data/rawframes.hpp>
#include <marey/media/image.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

using namespace marey::test;
namespace fs = std::filesystem;
namespace media = marey::media;

namespace {

// Frame i is a plain grey of 40 + 6 * i; 25 frames a second.
void write_video(const fs::path& file, int frames, int width = 48, int height = 32) {
  fs::create_directories(file.parent_path());
  media::VideoWriter writer(file,
                            {.width = width, .height = height, .fps = 25, .codec = "mpeg4", .quality = 2});
  for (int i = 0; i < frames; ++i) {
    const std::vector<std::uint8_t> frame(static_cast<std::size_t>(width * height * 3),
                                          static_cast<std::uint8_t>(40 + 6 * (i % 30)));
    writer.add(frame.data());
  }
  writer.finish();
}

std::string text_of(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.insert(entry.path().filename().string());
  return out;
}

Finished rawframes(const TemporaryFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> words{"data", "rawframes", (folder.path() / "src").string(),
                                 (folder.path() / "out").string()};
  words.insert(words.end(), more.begin(), more.end());
  return marey_run(words);
}

}  // namespace

TEST_CASE("rawframes: every frame in order, MMAction2's names, the list and the report") {
  TemporaryFolder folder;
  write_video(folder.path() / "src/run/a b.mp4", 12);
  write_video(folder.path() / "src/jump/c.avi", 5, 32, 64);
  std::ofstream(folder.path() / "src/jump/broken.mp4") << "no video";
  std::ofstream(folder.path() / "src/jump/notes.txt") << "no video either";
  const auto done = rawframes(folder, {"--new-short", "16", "--quality", "2", "--ext", "jpg", "--jobs", "2"});
  INFO(done.err);
  CHECK(done.code == 3);  // one failed
  CHECK(done.err.find("broken.mp4") != std::string::npos);
  CHECK(done.err.find("2 videos written, 0 kept, 1 failed") != std::string::npos);
  const fs::path out = folder.path() / "out";
  CHECK(names_in(out / "jump") == std::set<std::string>{"c"});
  const auto names = names_in(out / "run/a b");
  CHECK(names.size() == 12);
  CHECK(names.contains("img_00001.jpg"));
  CHECK(names.contains("img_00012.jpg"));
  for (int i = 0; i < 12; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "img_%05d.jpg", i + 1);
    const auto image = media::read_image(out / "run/a b" / name);
    CHECK(image.width == 24);
    CHECK(image.height == 16);
    CHECK(std::abs(int{image.pixels[100]} - (40 + 6 * i)) <= 3);
  }
  CHECK(media::read_image(out / "jump/c/img_00001.jpg").height == 32);
  CHECK(text_of(out / "classes.txt") == "jump\nrun\n");
  CHECK(text_of(out / "frames.txt") == "jump/c 5 0\n\"run/a b\" 12 1\n");
  const auto report = nlohmann::json::parse(text_of(out / "rawframes.json"));
  CHECK(report["complete"] == true);
  CHECK(report["written"] == 2);
  CHECK(report["failed"] == 1);
  CHECK(report["options"]["new_short"] == 16);
  CHECK(report["videos"].size() == 3);
  CHECK(report["videos"][0]["state"] == "failed");
  CHECK(report["videos"][2]["frames"] == 12);
}

TEST_CASE("rawframes: --resume keeps complete folders, does the others again, and holds to its options") {
  TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"})
    write_video(folder.path() / "src" / (std::string(name) + ".mp4"), 6);
  REQUIRE(rawframes(folder, {"--level", "1", "--ext", "png"}).code == 0);
  const fs::path out = folder.path() / "out";
  CHECK(text_of(out / "frames.txt") == "a 6\nb 6\nc 6\n");
  CHECK_FALSE(fs::exists(out / "classes.txt"));
  // As a killed run leaves it: one video not begun, one half done.
  fs::remove_all(out / "b");
  fs::create_directories(out / ".b.partial");
  std::ofstream(out / ".b.partial/img_00099.png") << "half";
  fs::remove_all(out / "c");
  const auto written = fs::last_write_time(out / "a/img_00001.png");
  const auto refused = rawframes(folder, {"--level", "1", "--ext", "png"});
  CHECK(refused.code == 3);
  CHECK(refused.err.find("--resume keeps what is complete") != std::string::npos);
  const auto other = rawframes(folder, {"--level", "1", "--ext", "png", "--new-short", "8", "--resume"});
  CHECK(other.code == 3);
  CHECK(other.err.find("was begun with new_short 0, now it is 8") != std::string::npos);
  const auto resumed = rawframes(folder, {"--level", "1", "--ext", "png", "--resume"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK(resumed.err.find("2 videos written, 1 kept, 0 failed") != std::string::npos);
  CHECK(fs::last_write_time(out / "a/img_00001.png") == written);
  CHECK(names_in(out / "b").size() == 6);
  CHECK_FALSE(names_in(out / "b").contains("img_00099.png"));
  CHECK_FALSE(fs::exists(out / ".b.partial"));
  CHECK(text_of(out / "frames.txt") == "a 6\nb 6\nc 6\n");
}

TEST_CASE("rawframes: a run killed at any time resumes to the same folders") {
  TemporaryFolder folder;
  for (int i = 0; i < 6; ++i)
    write_video(folder.path() / "src" / ("v" + std::to_string(i) + ".mp4"), 60, 160, 128);
  const fs::path out = folder.path() / "out";
  {
    Child child({marey_program(), "data", "rawframes", (folder.path() / "src").string(), out.string(),
                 "--level", "1", "--jobs", "1"});
    while (!fs::exists(out / "v1")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }  // killed
  const auto resumed = rawframes(folder, {"--level", "1", "--jobs", "2", "--resume"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  for (int i = 0; i < 6; ++i) CHECK(names_in(out / ("v" + std::to_string(i))).size() == 60);
  for (const auto& name : names_in(out)) CHECK(name.find(".partial") == std::string::npos);
}

TEST_CASE("rawframes: another rate shows the frames that ffmpeg's fps filter shows") {
  std::vector<double> seconds;
  for (int i = 0; i < 10; ++i) seconds.push_back(i / 30.0);
  CHECK(marey::data::frames_at_rate(seconds, 10 / 30.0, 15) == std::vector<std::int64_t>({0, 2, 4, 6, 8}));
  seconds.resize(5);
  CHECK(marey::data::frames_at_rate(seconds, 5 / 30.0, 60) ==
        std::vector<std::int64_t>({0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
  CHECK(marey::data::frames_at_rate({0}, 0, 15) == std::vector<std::int64_t>{0});
  CHECK(marey::data::frames_at_rate({0, 5.0}, 5.2, 1) == std::vector<std::int64_t>({0, 0, 0, 0, 0}));
}

TEST_CASE("rawframes: what cannot be done is refused before anything is written") {
  TemporaryFolder folder;
  write_video(folder.path() / "src/a.mp4", 3);
  CHECK(rawframes(folder, {}).err.find("no videos at level 2") != std::string::npos);
  CHECK(rawframes(folder, {"--fps", "fast"}).code == 2);
  CHECK(rawframes(folder, {"--quality", "0"}).code == 2);
  CHECK(rawframes(folder, {"--new-short", "8", "--new-width", "8"}).code == 2);
  CHECK(rawframes(folder, {"--level", "1", "--ext", "webp"}).err.find("expected jpg or png") !=
        std::string::npos);
  write_video(folder.path() / "src/a.avi", 3);
  const auto both = rawframes(folder, {"--level", "1"});
  CHECK(both.code == 3);
  CHECK(both.err.find("a.avi and a.mp4 would both be written") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path() / "out"));
}
