// marey data check: every kind of trouble, the report, the repaired list.
#include "datasets/video_files.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <marey/data/list_check.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace marey;
using test::contains;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

test::Finished check(std::vector<std::string> words) {
  words.insert(words.begin(), {"data", "check"});
  return test::marey_run(words);
}

std::string text_of(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("data check: names what is missing, empty, unreadable, damaged, short, double or in two splits") {
  TemporaryFolder folder;
  for (int i = 0; i < 4; ++i) test::write_video(folder.path() / ("v" + std::to_string(i) + ".avi"), 10 * i);
  folder.write("empty.mp4", "");
  folder.write("text.mp4", "no video");
  fs::create_directories(folder.path() / "folder.mp4");
  fs::copy_file(folder.path() / "v0.avi", folder.path() / "copy.avi");
  fs::copy_file(folder.path() / "v1.avi", folder.path() / "cut.avi");
  fs::resize_file(folder.path() / "cut.avi", fs::file_size(folder.path() / "cut.avi") - 280);
  const auto val = folder.write("val.txt", "v0.avi 0\nv2.avi 1\n");
  const auto train =
      folder.write("train.txt",
                   "\xef\xbb\xbfv1.avi 0\r\n\n\"v3.avi\" 1\ngone.mp4 0\nempty.mp4 1\ntext.mp4 0\n"
                   "folder.mp4 0\ncopy.avi 0\ncut.avi 0\nv1.avi 0\n./v2.avi 1");
  const auto done =
      check({val.string(), train.string(), "--jobs", "2", "--fix", (folder.path() / "fixed.txt").string()});
  INFO(done.out << done.err);
  CHECK(done.code == 3);
  const auto says = [&](int line, const std::string& what) {
    return contains(done.out, train.string() + ":" + std::to_string(line) + ": " + what);
  };
  CHECK(says(4, "missing: gone.mp4: no such file"));
  CHECK(says(5, "empty: empty.mp4"));
  CHECK(says(6, "unreadable: text.mp4"));
  CHECK(says(7, "unreadable: folder.mp4"));
  CHECK(says(8, "leak: copy.avi: has the same bytes as v0.avi on " + val.string() + ":1"));
  CHECK(says(9, "damaged: cut.avi"));
  CHECK(says(10, "duplicate: v1.avi: stands on " + train.string() + ":1"));
  CHECK(says(11, "leak: v2.avi: stands on " + val.string() + ":2"));
  CHECK(contains(done.err, "8 findings"));
  CHECK(text_of(folder.path() / "fixed.txt") == "\xef\xbb\xbfv1.avi 0\r\n\n\"v3.avi\" 1\n");
  CHECK(check({(folder.path() / "fixed.txt").string()}).code == 0);

  const auto json = nlohmann::json::parse(check({val.string(), "--json", "--min-frames", "13"}).out);
  CHECK(json["rows"] == 2);
  CHECK(json["frames"] == 24);
  REQUIRE(json["findings"].size() == 2);
  CHECK(json["findings"][0]["trouble"] == "short");
  CHECK(json["findings"][0]["what"] == "12 frames");
}

TEST_CASE("data check: the same report for any number of jobs") {
  TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "v" + std::to_string(i) + ".avi";
    if (i % 3)
      test::write_video(folder.path() / name, i % 4);
    else
      folder.write(name, "bad");
    rows += name + " 0\n";
  }
  const auto list = folder.write("list.txt", rows);
  const auto one = check({list.string(), "--jobs", "1", "--json"}),
             many = check({list.string(), "--jobs", "5", "--json"});
  CHECK(one.code == 3);
  CHECK(one.out == many.out);
}

TEST_CASE("data check: lines are taken out of a list as they are") {
  CHECK(data::without_lines("a\nb\nc", {2}) == "a\nc");
  CHECK(data::without_lines("a\nb\nc", {3}) == "a\nb\n");
  CHECK(data::without_lines("a\r\n\nb\n", {1, 3}) == "\n");
  CHECK(data::without_lines("", {1}).empty());
}
