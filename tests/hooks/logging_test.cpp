#include "../../plugins/hooks/logging/progress_line.hpp"
#include "bench_run.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>

#include <filesystem>
#include <limits>
#include <sstream>

using namespace marey;
using test::BenchRun;
using test::inputs;

namespace {

std::vector<nlohmann::json> lines_of(const std::filesystem::path& folder) {
  std::vector<nlohmann::json> out;
  std::istringstream text(read_file(folder / "metrics.jsonl"));
  for (std::string line; std::getline(text, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

Run run_in(const std::filesystem::path& folder, std::int64_t step = 0) {
  Run run;
  run.folder = folder;
  run.progress = {.step = step, .steps_per_epoch = 2, .max_epochs = 9};
  return run;
}

// One epoch of `count` micro-steps whose losses are known: inputs of ones, times i.
void epoch_of(BenchRun& b, std::vector<double> factors) {
  std::vector<at::Tensor> batches;
  for (const double f : factors) batches.push_back(at::full({4, 3}, f));
  b.epoch(batches);
}

}  // namespace

TEST_CASE("the progress line") {
  using namespace hooks;
  CHECK(progress_line({.epoch = 2,
                       .max_epochs = 4,
                       .micro_done = 45,
                       .micro_per_epoch = 100,
                       .loss = 1.23456,
                       .lr = 0.05,
                       .clips_per_second = 12.34,
                       .seconds_per_micro_step = 2}) ==
        "epoch 3/4 [=========>          ] 45/100  loss 1.2346  lr 0.05  12.3 clips/s  5:10 left");
  CHECK(progress_line({.micro_done = 1}).find("[====================] 1/1") != std::string::npos);
  CHECK(duration_text(3723) == "1:02:03");
  CHECK(duration_text(59.6) == "1:00");
  CHECK(duration_text(std::numeric_limits<double>::quiet_NaN()) == "?");
}

TEST_CASE("TextLog writes means over its interval and the evaluations") {
  test::Plugin plugin("logging");
  test::TemporaryFolder folder;
  std::vector<std::string> lines;
  log::Sink sink([&](log::Level, std::string_view text) { lines.emplace_back(text); });
  BenchRun b({plugin.make<Hook>("TextLog", {{"interval", 2}}), plugin.make<Hook>("Progress")}, false,
             run_in(folder.path()));
  b.optimizer->all[0].lr = 0;                                    // the loss of ones stays (3 × 0.5)² = 2.25
  b.run.scalars = {{"grad_norm", 1.5}, {"loss", 7}, {"lr", 7}};  // the last two are the runner's
  epoch_of(b, {1, 0, 1});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "epoch 1/9 step 2/2 loss 1.1250 lr 0 grad_norm 1.5");
  b.evaluate(0.25);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] == "epoch 1/9 evaluation val/top1 0.25");
}

TEST_CASE("JsonlLog writes one object a line") {
  test::Plugin plugin("logging");
  test::TemporaryFolder folder;
  BenchRun b({plugin.make<Hook>("JsonlLog", {{"interval", 2}})}, false, run_in(folder.path()));
  b.optimizer->all[0].lr = 0;
  b.run.scalars = {{"loss_scale", 4}, {"loss", 7}};
  epoch_of(b, {1, 0, 1, 1});
  b.evaluate(std::numeric_limits<double>::quiet_NaN());
  const auto lines = lines_of(folder.path());  // readable while the run goes on
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].at("kind") == "train");
  CHECK(lines[0].at("step") == 2);
  CHECK(lines[0].at("loss").get<double>() == Approx(1.125));
  CHECK(lines[0].at("loss_scale") == 4);
  CHECK(lines[0].at("samples") == 8);
  CHECK(lines[1].at("loss").get<double>() == Approx(2.25));
  CHECK(lines[2].at("kind") == "eval");
  CHECK(lines[2].at("val/top1").is_null());  // JSON has no NaN
}

TEST_CASE("a resume cuts the log back to the checkpoint and goes on with its averages") {
  test::Plugin plugin("logging");
  test::TemporaryFolder folder;
  const auto make = [&] { return plugin.make<Hook>("JsonlLog", {{"interval", 2}}); };
  State saved;
  {
    BenchRun b({make()}, false, run_in(folder.path()));
    b.optimizer->all[0].lr = 0;
    epoch_of(b, {1, 1, 0});  // saved between two lines
    saved = b.hooks[0]->save();
    epoch_of(b, {1, 1, 1});
    b.evaluate(0.5);
  }
  {
    std::ofstream torn(folder.path() / "metrics.jsonl", std::ios::app);
    torn << R"({"kind":"tra)";
  }
  const auto again = make();
  again->load(State{nlohmann::json::parse(saved.values.dump()), {}});
  CHECK(again->save().values == saved.values);
  BenchRun b({again}, false, run_in(folder.path(), 3));
  b.optimizer->all[0].lr = 0;
  CHECK(lines_of(folder.path()).size() == 1);
  epoch_of(b, {1});
  const auto lines = lines_of(folder.path());
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].at("step") == 4);
  CHECK(lines[1].at("loss").get<double>() == Approx(1.125));  // of steps 3 and 4
}

TEST_CASE("skipped steps write no line twice") {
  test::Plugin logging("logging"), clip("grad_clip");
  test::TemporaryFolder folder;
  BenchRun b({logging.make<Hook>("JsonlLog", {{"interval", 1}}), clip.make<Hook>("GradClip")}, false,
             run_in(folder.path()));
  epoch_of(b, {1, std::numeric_limits<double>::quiet_NaN(), 1});
  const auto lines = lines_of(folder.path());
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].at("step") == 2);
}

TEST_CASE("a log that cannot be written does not end the run") {
  test::Plugin plugin("logging");
  std::vector<std::string> warnings;
  log::Sink sink([&](log::Level, std::string_view text) { warnings.emplace_back(text); });
  BenchRun b({plugin.make<Hook>("JsonlLog", {{"interval", 1}})}, false, run_in("/nonexistent/folder"));
  epoch_of(b, {1, 1});
  CHECK(b.run.progress.step == 2);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("cannot be written") != std::string::npos);
}
