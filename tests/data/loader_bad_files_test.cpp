#include "data/fake_dataset.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/data/loader.hpp>

#include <ATen/ops/equal.h>
#include <nlohmann/json.hpp>

using namespace marey;
using data::BadFilePolicy;
using data::Batch;
using data::Loader;
using test::contains;
using test::fake_dataset;
using test::message_of;

namespace {

std::vector<std::size_t> all_indices(Loader& loader) {
  std::vector<std::size_t> out;
  while (auto batch = loader.next()) out.insert(out.end(), batch->indices.begin(), batch->indices.end());
  return out;
}

class Warnings {
 public:
  Warnings() { log::set_level(log::Level::error); }
  ~Warnings() { log::set_level(log::Level::info); }
  std::vector<std::string> lines;

 private:
  log::Sink sink_{[this](log::Level level, std::string_view line) {
    if (level == log::Level::warning) lines.emplace_back(line);
  }};
};

}  // namespace

TEST_CASE("fail: a bad file ends the run with its name") {
  auto dataset = fake_dataset(10);
  dataset->bad = {3};
  Loader loader(dataset, {.batch_size = 2});
  loader.start(0);
  CHECK(loader.next());
  const auto message = message_of<DataError>([&] { loader.next(); });
  CHECK(message.starts_with("clip_3.mp4: no video stream\n"));
  CHECK(contains(message, "on_error"));
}

TEST_CASE("skip: the next good sample stands in, the same one for any number of threads") {
  Warnings warnings;
  for (const bool training : {true, false}) {
    std::vector<std::vector<Batch>> runs;
    for (const int threads : {1, 2, 4}) {
      auto dataset = fake_dataset(20);
      dataset->bad = {3, 19};
      dataset->bad_read = {4};
      Loader loader(dataset, {.batch_size = 4,
                              .threads = threads,
                              .training = training,
                              .seed = 5,
                              .on_error = BadFilePolicy::skip,
                              .max_bad_fraction = 0.5});
      loader.start(0);
      auto& run = runs.emplace_back();
      while (auto batch = loader.next()) run.push_back(std::move(*batch));
      CHECK(loader.stats().bad_files == 3);
      CHECK(loader.stats().samples == (training ? 20 : 17));
    }
    std::multiset<std::size_t> seen;
    for (std::size_t i = 0; i < runs[0].size(); ++i) {
      seen.insert(runs[0][i].indices.begin(), runs[0][i].indices.end());
      for (std::size_t run = 1; run < 3; ++run) {
        CHECK(runs[run][i].indices == runs[0][i].indices);
        CHECK(at::equal(runs[run][i].pixels, runs[0][i].pixels));
      }
    }
    for (const std::size_t bad : {3u, 4u, 19u}) CHECK(seen.count(bad) == 0);
    CHECK(seen.count(5) == (training ? 3u : 1u));  // for 3 and 4; no video counts twice in an evaluation
    CHECK(seen.count(0) == (training ? 2u : 1u));  // after the last index comes the first
  }
}

TEST_CASE("skip: an evaluation leaves bad samples out of their batches") {
  Warnings warnings;
  auto dataset = fake_dataset(8);
  dataset->bad = {1, 4, 5};
  Loader loader(dataset, {.batch_size = 2, .on_error = BadFilePolicy::skip, .max_bad_fraction = 1});
  loader.start(0);
  auto batch = loader.next();
  CHECK(batch->indices == std::vector<std::size_t>({0}));
  CHECK(batch->pixels.size(0) == 1);
  CHECK(batch->labels.size(0) == 1);
  CHECK(batch->pixels.permute({0, 1, 3, 4, 5, 2}).is_contiguous());
  CHECK(loader.next()->indices == std::vector<std::size_t>({2, 3}));
  CHECK(loader.next()->indices == std::vector<std::size_t>({6, 7}));  // a whole batch was bad
  CHECK_FALSE(loader.next());
}

TEST_CASE("skip: each file is logged once, as a warning and as a JSON line") {
  Warnings warnings;
  marey::test::TemporaryFolder folder;
  const auto log = folder.path() / "bad_samples.jsonl";
  auto dataset = fake_dataset(10);
  dataset->bad = {2, 7};
  Loader loader(dataset, {.batch_size = 3,
                          .training = true,
                          .on_error = BadFilePolicy::skip,
                          .max_bad_fraction = 0.2,
                          .bad_samples_log = log});
  for (const std::uint64_t epoch : {0u, 1u, 2u}) {
    loader.start(epoch);
    CHECK(all_indices(loader).size() == 10);
  }
  CHECK(warnings.lines.size() == 2);
  const std::string text = read_file(log);
  CHECK(std::ranges::count(text, '\n') == 2);
  std::set<std::size_t> indices;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    const auto line = nlohmann::json::parse(text.substr(at, end - at));
    indices.insert(line.at("index").get<std::size_t>());
    CHECK(line.at("path") == fmt::format("clip_{}.mp4", line.at("index").get<std::size_t>()));
    CHECK(line.at("epoch") == 0);
    CHECK(line.at("reason").get<std::string>().find("no video stream") != std::string::npos);
    at = end + 1;
  }
  CHECK(indices == std::set<std::size_t>({2, 7}));
}

TEST_CASE("skip: a log that cannot be written is a warning") {
  Warnings warnings;
  auto dataset = fake_dataset(10);
  dataset->bad = {2};
  Loader loader(
      dataset,
      {.on_error = BadFilePolicy::skip, .max_bad_fraction = 1, .bad_samples_log = "/no/such/folder/x"});
  loader.start(0);
  CHECK(all_indices(loader).size() == 9);
  CHECK(warnings.lines.size() == 2);
}

TEST_CASE("skip: too many bad files end the run, at the same batch for any number of threads") {
  Warnings warnings;
  for (const int threads : {1, 4}) {
    auto dataset = fake_dataset(20);
    dataset->bad = {2, 9, 11};
    Loader loader(
        dataset,
        {.batch_size = 2, .threads = threads, .on_error = BadFilePolicy::skip, .max_bad_fraction = 0.1});
    loader.start(0);
    for (int i = 0; i < 5; ++i) CHECK(loader.next());
    CHECK(message_of<DataError>([&] {
            loader.next();
          }).starts_with("3 of 20 samples cannot be used, more than max_bad_fraction = 0.1"));
  }
}

TEST_CASE("skip: a data set without one good file ends after a few tries") {
  Warnings warnings;
  auto dataset = fake_dataset(100000);
  dataset->info.frames = 0;
  Loader loader(dataset, {.batch_size = 2,
                          .threads = 2,
                          .prefetch = 1,
                          .training = true,
                          .on_error = BadFilePolicy::skip,
                          .max_bad_fraction = 0.0001});
  loader.start(0);
  CHECK_THROWS_AS(loader.next(), DataError);
  CHECK(dataset->opened <= 4 * 11);  // of the batch given and of the next one
}
