#include "bench_run.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <limits>

using namespace marey;
using test::BenchRun;
using test::inputs;
namespace fs = std::filesystem;

namespace {

// A run whose checkpoints are empty folders, and whose hook state of each is kept aside.
struct Saving {
  test::TemporaryFolder folder;
  test::Plugin plugin{"checkpoint"};
  std::map<std::int64_t, State> states;
  std::int64_t saves = 0;
  bool disk_full = false;

  BenchRun start(std::initializer_list<std::pair<const char*, Value>> params, std::int64_t max_epochs = 100,
                 const State* resume = nullptr) {
    auto hook = plugin.make<Hook>("Checkpoint", params);
    if (resume) hook->load(State{nlohmann::json::parse(resume->values.dump()), {}});
    Run run;
    run.folder = folder.path();
    run.progress.max_epochs = max_epochs;
    return BenchRun({hook}, false, run);
  }

  void arm(BenchRun& b) {
    b.run.save_checkpoint = [this, &b] {
      if (disk_full) throw Error("No space left on device");
      const fs::path path = folder.path() / "checkpoints" / fmt::format("step_{:09}", b.run.progress.step);
      fs::create_directories(path);
      states[b.run.progress.step] = b.hooks[0]->save();
      ++saves;
      return path;
    };
  }

  std::string present() const {
    std::string out;
    std::vector<std::string> names;
    if (!fs::exists(folder.path() / "checkpoints")) return out;
    for (const auto& e : fs::directory_iterator(folder.path() / "checkpoints"))
      if (e.is_directory())
        names.push_back(std::to_string(std::stoi(e.path().filename().string().substr(5))));
    std::sort(names.begin(), names.end(), [](auto& a, auto& b) { return std::stoi(a) < std::stoi(b); });
    return fmt::format("{}", fmt::join(names, " "));
  }

  nlohmann::json best() const {
    return nlohmann::json::parse(read_file(folder.path() / "checkpoints" / "best.json")).at("best");
  }
};

// An epoch of two steps with an evaluation.
void epoch(BenchRun& b, double value) {
  b.epoch({inputs(1), inputs(2)});
  b.evaluate(value);
}

}  // namespace

TEST_CASE("checkpoints are written at the intervals and at the end, the last few stay") {
  Saving s;
  BenchRun b = s.start({{"interval_epochs", 2}, {"keep_last", 2}}, 7);
  s.arm(b);
  for (int i = 0; i < 7; ++i) epoch(b, 0);
  CHECK(s.saves == 4);  // epochs 2, 4, 6 and the last
  CHECK(s.present() == "12 14");
}

TEST_CASE("an interval of steps saves within epochs, and once where both meet") {
  Saving s;
  BenchRun b = s.start({{"interval_steps", 3}, {"interval_epochs", 3}, {"keep_last", 0}});
  s.arm(b);
  for (int i = 0; i < 3; ++i) epoch(b, 0);  // steps 1 to 6, the end of epoch 3 is step 6
  CHECK(s.present() == "3 6");
  CHECK(s.saves == 2);
}

TEST_CASE("the best stays whatever the interval, also over a resume") {
  Saving s;
  State at_6;
  {
    BenchRun b = s.start({{"interval_epochs", 3}, {"keep_last", 1}, {"monitor", "val/top1"}});
    s.arm(b);
    epoch(b, 0.5), epoch(b, 0.9), epoch(b, 0.7);
    CHECK(s.present() == "4 6");
    CHECK(s.best().size() == 1);
    CHECK(s.best()[0].at("checkpoint") == "step_000000004");
    CHECK(s.best()[0].at("value") == 0.9);
    at_6 = s.states.at(6);
  }
  BenchRun b = s.start({{"interval_epochs", 3}, {"keep_last", 1}, {"monitor", "val/top1"}}, 100, &at_6);
  CHECK(b.hooks[0]->save().values == at_6.values);
  s.arm(b);
  b.run.progress.step = 6, b.run.epoch = 3;
  epoch(b, 0.8), epoch(b, std::numeric_limits<double>::quiet_NaN()), epoch(b, 0.85);
  CHECK(s.present() == "4 12");
  epoch(b, 0.95);
  CHECK(s.present() == "12 14");
  CHECK(s.best()[0].at("step") == 14);
}

TEST_CASE("the K best are kept and ranked; smaller may be better") {
  Saving s;
  BenchRun b = s.start(
      {{"interval_epochs", 0}, {"keep_last", 1}, {"keep_best", 2}, {"monitor", "val/loss"}, {"mode", "min"}});
  s.arm(b);
  for (const double loss : {3.0, 2.0, 4.0, 1.0, 1.5}) {
    b.epoch({inputs(1), inputs(2)});
    b.evaluate(loss, "val/loss");
  }
  CHECK(s.present() == "8 10");
  CHECK(s.best()[0].at("step") == 8);
  CHECK(s.best()[1].at("step") == 10);
  CHECK(s.saves == 4);  // the third was no better than the two before
}

TEST_CASE("an interruption and a stop are saved at once") {
  Saving s;
  BenchRun b = s.start({{"interval_epochs", 10}});
  s.arm(b);
  b.run.micro_per_epoch = 5;
  b.micro(inputs(1));
  CHECK(s.present().empty());
  b.run.interrupted = true;
  b.micro(inputs(2));
  CHECK(s.present() == "2");
  b.run.interrupted = false;
  b.run.stop = true;
  b.evaluate(0);
  CHECK(s.saves == 2);
}

TEST_CASE("a failed save warns, loses nothing, and is tried again; the third in a row ends the run") {
  Saving s;
  BenchRun b = s.start({{"keep_last", 1}, {"monitor", "val/top1"}});
  s.arm(b);
  std::vector<std::string> warnings;
  log::Sink sink([&](log::Level, std::string_view text) { warnings.emplace_back(text); });
  epoch(b, 0.5);
  s.disk_full = true;
  epoch(b, 0.9), epoch(b, 0.4);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].find("step 4 could not be saved: No space left on device") != std::string::npos);
  CHECK(s.present() == "2");
  s.disk_full = false;
  epoch(b, 0.6);
  CHECK(s.present() == "8");  // better than the 0.5 of step 2; the 0.9 was never saved
  s.disk_full = true;
  epoch(b, 0), epoch(b, 0);
  CHECK_THROWS_AS(epoch(b, 0), CheckpointError);
  CHECK(s.present() == "8");
}

TEST_CASE("a failure of the last save is an error") {
  for (const bool interrupted : {false, true}) {
    Saving s;
    BenchRun b = s.start({}, 1);
    s.arm(b);
    s.disk_full = true;
    b.run.interrupted = interrupted;
    CHECK_THROWS_WITH(epoch(b, 0), Catch::Contains("No space left") && Catch::Contains("--resume"));
  }
}

TEST_CASE("checkpoints that the run did not write are left alone") {
  Saving s;
  fs::create_directories(s.folder.path() / "checkpoints" / "step_000000001");
  BenchRun b = s.start({{"keep_last", 1}});
  s.arm(b);
  epoch(b, 0), epoch(b, 0);
  CHECK(s.present() == "1 4");
}

TEST_CASE("wrong Checkpoint parameters are named") {
  Saving s;
  CHECK_THROWS_WITH(s.start({{"monitor", "val/tpo1"}}), Catch::Contains("did you mean 'val/top1'?"));
  CHECK_THAT(s.plugin.problem<Hook>("Checkpoint", {{"keep_best", 2}}), Catch::Contains("needs a monitor"));
}
