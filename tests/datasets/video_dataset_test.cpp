#include "datasets/video_files.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/places.hpp"
#include "support/plugin_component.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/data/loader.hpp>
#include <marey/media/image.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

using namespace marey;
using test::contains;
using test::message_of;
using test::TemporaryFolder;
using test::write_video;
using Plugins = test::VideoPlugins;

TEST_CASE("VideoDataset: paths start at the list's folder, or at data_root") {
  TemporaryFolder folder;
  Plugins plugins;
  const auto list = folder.write("lists/train.csv", "a b.mp4 0\n/abs/c.mp4 4\n");
  CHECK(contains(message_of<Error>([&] { plugins.make(list); }), "train.csv:2: /abs/c.mp4"));
  const auto beside = plugins.make(list, {{"allow_outside", true}});
  REQUIRE(beside->size() == 2);
  CHECK(beside->sample(0).source == (folder.path() / "lists/a b.mp4").string());
  CHECK(beside->sample(1).source == "/abs/c.mp4");
  CHECK(beside->sample(1).labels == std::vector<std::int64_t>{4});
  CHECK(beside->num_classes() == 5);
  CHECK(beside->pipeline().size() == 2);
  const auto rooted = plugins.make(list, {{"data_root", "/videos"}, {"allow_outside", true}});
  CHECK(rooted->sample(0).source == "/videos/a b.mp4");
  CHECK_THROWS_AS(beside->sample(2), Error);
}

TEST_CASE("VideoDataset: class names, counts and labels must agree") {
  TemporaryFolder folder;
  Plugins plugins;
  const auto list = folder.write("train.csv", "a.mp4 0\nb.mp4 3\n");
  const auto three = folder.write("three.txt", "x\ny\nz\n").string(),
             four = folder.write("four.txt", "x\ny\nz\nw\n").string();
  const auto named = plugins.make(list, {{"class_names", four}});
  CHECK(named->num_classes() == 4);
  CHECK(named->class_names().at(3) == "w");
  CHECK(plugins.make(list, {{"num_classes", 10}})->num_classes() == 10);
  const auto message = message_of<Error>([&] { plugins.make(list, {{"class_names", three}}); });
  CHECK(contains(message, "train.csv:2: label 3 is out of range: expected 0 to 2"));
  CHECK(contains(message_of<Error>([&] { plugins.make(list, {{"num_classes", 3}}); }), "train.csv:2"));
  CHECK(contains(message_of<Error>([&] {
                   plugins.make(list, {{"num_classes", 5}, {"class_names", four}});
                 }),
                 "num_classes is 5, but"));
  CHECK(contains(message_of<Error>([&] {
                   plugins.make(list, {{"pipeline", Value::Array{}}});
                 }),
                 "the pipeline is empty"));
  CHECK(contains(message_of<Error>([&] { plugins.make(folder.path() / "none.csv"); }), "none.csv"));
  try {
    plugins.make(list, {{"num_classes", 3}});
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::data);
  }
}

TEST_CASE("VideoDataset: a flip's label map is checked against the class names") {
  TemporaryFolder folder;
  Plugins plugins;
  const auto list = folder.write("train.csv", "a.mp4 0\nb.mp4 1\n");
  const auto names = folder.write("names.txt", "left\nright\n").string();
  const Value pipeline =
      Value::Array{test::table({{"type", "SampleFrames"}, {"clip_len", 4}}),
                   test::table({{"type", "Flip"}, {"label_map", test::table({{"left", "rigth"}})}})};
  const auto message = message_of<Error>([&] {
    plugins.make(list, {{"class_names", names}, {"pipeline", pipeline}});
  });
  CHECK(contains(message,
                 "data.train.pipeline.1: Flip (plugin 'transforms'): label_map: no class is called 'rigth'"));
  CHECK(contains(message, "did you mean 'right'"));
}

TEST_CASE("VideoDataset: missing files are listed with their rows") {
  TemporaryFolder folder;
  Plugins plugins;
  folder.write("here.mp4", "x");
  const auto good = plugins.make(folder.write("good.csv", "here.mp4 0\n"));
  CHECK_NOTHROW(good->check_files());
  const auto bad = plugins.make(folder.write("bad.csv", "here.mp4 0\n\nnope.mp4 0\ngone/x.mp4 0\n"));
  const auto message = message_of<DataError>([&] { bad->check_files(); });
  CHECK(contains(message, "2 of 3 files are missing"));
  CHECK(contains(message, "bad.csv:3: nope.mp4"));
  CHECK(contains(message, "bad.csv:4: gone/x.mp4"));
  CHECK(contains(message, "data_root"));
}

TEST_CASE("VideoDataset: batches of real files, the same for any number of threads") {
  TemporaryFolder folder;
  Plugins plugins;
  std::string text;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "clip " + std::to_string(i) + ".avi";
    write_video(folder.path() / name, i * 10);
    text += name + " " + std::to_string(i % 3) + "\n";
  }
  const auto dataset = plugins.make(folder.write("train.csv", text));
  dataset->check_files();
  std::vector<std::vector<data::Batch>> runs;
  for (const int threads : {1, 2, 4}) {
    data::Loader loader(dataset, {.batch_size = 4, .threads = threads, .seed = 3});
    loader.start(0);
    auto& run = runs.emplace_back();
    while (auto batch = loader.next()) run.push_back(std::move(*batch));
  }
  REQUIRE(runs[0].size() == 2);
  const auto& first = runs[0][0];
  CHECK(first.pixels.sizes().vec() == std::vector<std::int64_t>({4, 1, 3, 4, 16, 16}));
  // Twelve frames, a span of seven: a test takes frames 2, 4, 6, 8.
  for (int sample = 0; sample < 4; ++sample)
    for (int t = 0; t < 4; ++t) {
      const double mean = first.pixels[sample][0].select(1, t).to(at::kFloat).mean().item<double>();
      CHECK(std::abs(mean - (40 + 8 * (2 + 2 * t) + sample * 10)) < 3);
    }
  for (std::size_t run = 1; run < runs.size(); ++run)
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(runs[run][i].pixels.equal(runs[0][i].pixels));
      CHECK(runs[run][i].labels.equal(runs[0][i].labels));
    }
}

TEST_CASE("VideoDataset: an undecodable file under both policies") {
  TemporaryFolder folder;
  Plugins plugins;
  write_video(folder.path() / "good.avi", 0);
  folder.write("broken.mp4", "this is no video");
  const auto dataset = plugins.make(folder.write("train.csv", "broken.mp4 0\ngood.avi 0\n"));
  data::Loader strict(dataset, {.batch_size = 2});
  strict.start(0);
  CHECK(contains(message_of<DataError>([&] { strict.next(); }), "broken.mp4"));
  log::set_level(log::Level::error);
  data::Loader lenient(
      dataset,
      {.batch_size = 2, .training = true, .on_error = data::BadFilePolicy::skip, .max_bad_fraction = 0.5});
  lenient.start(0);
  CHECK(lenient.next()->indices == std::vector<std::size_t>({1, 1}));
  CHECK(lenient.stats().bad_files == 1);
  log::set_level(log::Level::info);
}

TEST_CASE(
    "VideoDataset: a folder of odd files gives the same batches and the same bad files for any number of "
    "threads") {
  const auto videos = marey::test::shared_folder("MAREY_VIDEOS", "videos");
  if (!std::filesystem::is_directory(videos)) {
    WARN("skipped: " << videos.string() << " is absent");
    return;
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(videos)) files.insert(entry.path().string());
  std::string text;
  for (const auto& file : files) text += "\"" + file + "\" 0\n";
  TemporaryFolder folder;
  Plugins plugins;
  const auto dataset = plugins.make(folder.write("all.csv", text), {{"data_root", videos.string()}});
  std::vector<std::vector<data::Batch>> runs;
  std::vector<std::int64_t> bad;
  log::set_level(log::Level::error);
  for (const int threads : {1, 3}) {
    data::Loader loader(dataset, {.batch_size = 8,
                                  .threads = threads,
                                  .training = true,
                                  .on_error = data::BadFilePolicy::skip,
                                  .max_bad_fraction = 1});
    loader.start(0);
    auto& run = runs.emplace_back();
    while (auto batch = loader.next()) run.push_back(std::move(*batch));
    CHECK(loader.stats().samples == static_cast<std::int64_t>(files.size()));
    bad.push_back(loader.stats().bad_files);
  }
  log::set_level(log::Level::info);
  CHECK(bad[0] == bad[1]);
  REQUIRE(runs[0].size() == runs[1].size());
  for (std::size_t i = 0; i < runs[0].size(); ++i) {
    CHECK(runs[0][i].indices == runs[1][i].indices);
    CHECK(runs[0][i].pixels.equal(runs[1][i].pixels));
  }
}
