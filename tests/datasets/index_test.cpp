// marey data index and stats, and what VideoDataset makes of an index.
#include "datasets/video_files.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/data/video_index.hpp>
#include <marey/media/video_reader.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>

using namespace marey;
using test::contains;
using test::message_of;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

test::Finished data_command(std::vector<std::string> words) {
  words.insert(words.begin(), "data");
  return test::marey_run(words);
}

}  // namespace

TEST_CASE("index: what it says of each file, kept until the file changes") {
  TemporaryFolder folder;
  test::write_video(folder.path() / "a b.mp4", 0);
  test::write_video(folder.path() / "c.avi", 10);
  folder.write("broken.mp4", "no video");
  const auto list = folder.write("list.txt", "a b.mp4 0\nc.avi 1\nbroken.mp4 1\na b.mp4 0\ngone.mp4 2\n");
  const auto first = data_command({"index", list.string(), "--jobs", "2"});
  INFO(first.err);
  CHECK(first.code == 3);
  CHECK(contains(first.err, "4 files scanned, 0 unchanged, 2 unreadable"));
  CHECK(contains(first.err, "broken.mp4"));
  const auto index = data::VideoIndex::read(list.string() + ".index.tsv");
  REQUIRE(index.videos().size() == 4);
  const auto* a = index.find("a b.mp4");
  REQUIRE(a);
  CHECK(a->bytes == static_cast<std::int64_t>(fs::file_size(folder.path() / "a b.mp4")));
  CHECK(a->frames == 12);
  CHECK(a->key_frames == 1);
  CHECK(a->width == 32);
  CHECK(a->height == 24);
  CHECK(a->fps == Approx(25));
  CHECK(a->duration_seconds == Approx(12 / 25.0));
  CHECK(a->codec == "mpeg4");
  CHECK(a->error.empty());
  CHECK(data::is_current(*a, folder.path() / "a b.mp4"));
  CHECK_FALSE(data::is_current(*a, folder.path() / "c.avi"));
  CHECK(contains(index.find("gone.mp4")->error, "no such file"));
  CHECK(index.find("d.mp4") == nullptr);

  const auto again = data_command({"index", list.string()});
  CHECK(contains(again.err, "1 files scanned, 3 unchanged"));  // what is not there may come
  test::write_video(folder.path() / "gone.mp4", 20);
  fs::last_write_time(folder.path() / "c.avi", fs::file_time_type::clock::now() + std::chrono::hours(1));
  const auto third = data_command({"index", list.string()});
  CHECK(contains(third.err, "2 files scanned, 2 unchanged, 1 unreadable"));
}

TEST_CASE(
    "index: VideoDataset does not open what is known to be bad, and notices entries that are out of date") {
  TemporaryFolder folder;
  test::VideoPlugins plugins;
  test::write_video(folder.path() / "a.mp4", 0);
  folder.write("b.mp4", "no video");
  const auto list = folder.write("list.txt", "a.mp4 0\nb.mp4 1\n");
  REQUIRE(data_command({"index", list.string()}).code == 3);
  const auto data = plugins.make(list);
  data->open(data->sample(0));
  CHECK(contains(message_of<media::MediaError>([&] { data->open(data->sample(1)); }), "b.mp4"));
  // The entry's own words come out: the file is not asked.
  auto videos = data::VideoIndex::read(data::index_file_of(list)).videos();
  videos[1].error = "b.mp4: so says the index";
  data::VideoIndex(videos).write(folder.path() / "other.tsv");
  const auto other = plugins.make(list, {{"index", (folder.path() / "other.tsv").string()}});
  CHECK(message_of<media::MediaError>([&] { other->open(other->sample(1)); }) == "b.mp4: so says the index");
  // A repaired file has another time, and is read in spite of its old entry.
  test::write_video(folder.path() / "b.mp4", 0);
  CHECK(other->open(other->sample(1))->info().frames == 12);
  CHECK(contains(message_of<Error>([&] {
                   plugins.make(list, {{"index", "/no/such.tsv"}});
                 }),
                 "marey data index"));
}

TEST_CASE("index: text that is no index is refused with its line") {
  const auto wrong = [](const std::string& text) {
    return message_of<DataError>([&] { data::VideoIndex::parse(text, "x.tsv"); });
  };
  const std::string head = "marey-index 1\n", row = "10\t20\t3\t1\t32\t24\t25\t0.12\tmpeg4\t\ta.mp4\n";
  CHECK(wrong(head + row).empty());
  CHECK(contains(wrong(""), "is empty"));
  CHECK(contains(wrong("something\n"), "x.tsv:1"));
  CHECK(contains(wrong(head + row + "10\t20\n"), "x.tsv:3"));
  CHECK(contains(wrong(head + "10\t20\t3\t1\t32\t24\tnan\t0.12\tmpeg4\t\ta.mp4\n"), "x.tsv:2"));
  CHECK(contains(wrong(head + "10\t20\t3\t1\t99999999\t24\t25\t0.12\tmpeg4\t\ta.mp4\n"), "x.tsv:2"));
  CHECK(contains(wrong(head + row.substr(0, row.size() - 1)), "x.tsv:2"));
}

TEST_CASE("stats: classes of a list, and lengths from its index") {
  TemporaryFolder folder;
  for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) test::write_video(folder.path() / name, 0);
  const auto list = folder.write("list.txt", "a.mp4 0\nb.mp4 2\nc.mp4 2\n");
  const auto bare = data_command({"stats", list.string()});
  CHECK(bare.code == 0);
  CHECK(contains(bare.out, "3 rows, 3 classes (1 without a row)"));
  CHECK(contains(bare.out, "66.7 %  2"));
  CHECK(contains(bare.err, "run marey data index"));
  REQUIRE(data_command({"index", list.string()}).code == 0);
  const auto full = data_command({"stats", list.string(), "--json"});
  const auto json = nlohmann::json::parse(full.out);
  CHECK(json["per_class"] == nlohmann::json({1, 0, 2}));
  CHECK(json["indexed"] == 3);
  CHECK(json["frames"]["median"] == 12);
  CHECK(json["seconds"].get<double>() == Approx(3 * 12 / 25.0));
  CHECK(json["rates"]["25"] == 3);
  CHECK(json["sizes"]["32x24"] == 3);
  CHECK(contains(data_command({"stats", list.string()}).out, "mpeg4 (3)"));
}
