// Runs that are ended from outside, and what --resume makes of them.
#include "tiny_motion.hpp"

#include <csignal>

using namespace marey::test;
namespace fs = std::filesystem;

namespace {
// Long enough that the signal arrives while it trains; nothing is saved before the end unless it is asked
// for.
const std::vector<std::string> long_run{"train.max_epochs=12", "train.eval_interval=6",
                                        "hooks.checkpoint.interval_epochs=0"};
constexpr const char* last_step = "step_000000048";

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
}  // namespace

TEST_CASE("an interrupted run saves, and its resume ends where the uninterrupted run does") {
  const TinyMotion tiny;
  const auto whole = tiny.train("whole", long_run);
  INFO(whole.err);
  REQUIRE(whole.code == 0);
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const std::string run = "run" + std::to_string(code);
    Child child = tiny.start_training(run, long_run);
    wait_for(child, "epoch 1/12 step 2/4");
    child.send(signal);
    const auto ended = child.wait();
    INFO(ended.err);
    CHECK(ended.code == code);
    CHECK(ended.err.find("a checkpoint is saved, --resume goes on from there") != std::string::npos);
    REQUIRE_FALSE(tiny.checkpoints(run).empty());
    REQUIRE_FALSE(fs::exists(tiny.path() / run / "checkpoints" / last_step));

    const auto resumed = tiny.train(run, with(long_run, {"--resume", "auto"}));
    INFO(resumed.err);
    CHECK(resumed.code == 0);
    CHECK(tiny.weights(run, last_step) == tiny.weights("whole", last_step));
    for (const char* file : {"optimizer.safetensors"})
      CHECK(marey::read_file(tiny.path() / run / "checkpoints" / last_step / file) ==
            marey::read_file(tiny.path() / "whole" / "checkpoints" / last_step / file));
  }
}

TEST_CASE("a killed run goes on from its last checkpoint and ends the same") {
  const TinyMotion tiny;
  const std::vector<std::string> words{"train.max_epochs=4", "hooks.checkpoint.interval_steps=3"};
  const auto whole = tiny.train("whole", words);
  INFO(whole.err);
  REQUIRE(whole.code == 0);

  const auto go_on = [&](const std::string& run) {
    const auto resumed = tiny.train(run, with(words, {"--resume", "auto"}));
    INFO(resumed.err);
    CHECK(resumed.code == 0);
    CHECK(tiny.weights(run, "step_000000016") == tiny.weights("whole", "step_000000016"));
    for (const auto& entry : fs::directory_iterator(tiny.path() / run / "checkpoints"))
      CHECK(entry.path().filename().string()[0] != '.');  // nothing half written stays
    // The log goes on as if nothing had happened.
    const std::string log = marey::read_file(tiny.path() / run / "metrics.jsonl");
    CHECK(std::count(log.begin(), log.end(), '\n') == 16 + 4);
  };
  SECTION("at any time") {
    Child child = tiny.start_training("run", words);
    wait_for(child, "epoch 2/4 step 2/4");
    child.send(SIGKILL);
    CHECK(child.wait().code == 1000 + SIGKILL);
    go_on("run");
  }
  SECTION("while it saves") {
    for (const std::string place : {"ckpt.state:3", "ckpt.rename:3", "ckpt.renamed:3"}) {
      const std::string run = "run" + place;
      CHECK(tiny.train(run, words, {.environment = {{"MAREY_FAULT", place}}}).code == 1000 + SIGKILL);
      go_on(run);
    }
  }
}

TEST_CASE("resume auto starts anew where there is nothing, and finds the newest run of the recipe") {
  const TinyMotion tiny;
  const auto first = tiny.marey({"train", "tiny.toml", "--resume", "train.max_epochs=1"});
  INFO(first.err);
  CHECK(first.code == 0);
  CHECK(first.err.find("nothing to resume in runs/tiny; starting a new run") != std::string::npos);
  CHECK(tiny.checkpoints("runs/tiny/latest") == " step_000000004");
  const auto longer = tiny.marey({"train", "tiny.toml", "--resume", "auto", "train.max_epochs=1"});
  INFO(longer.err);
  CHECK(longer.code == 0);
  CHECK(longer.err.find("done after 4 steps") != std::string::npos);
}

TEST_CASE("a run folder has one user") {
  const TinyMotion tiny;
  Child child = tiny.start_training("run", long_run);
  wait_for(child, "epoch 1/12 step 1/4");
  const auto second = tiny.train("run");
  CHECK(second.code == 2);
  CHECK(second.err.find("/run: this run folder is in use by another run; wait for its end, or choose another "
                        "folder with --run-folder") != std::string::npos);
  child.send(SIGTERM);
  CHECK(child.wait().code == 143);  // the first one is none the worse
  const auto third = tiny.train("run");
  CHECK(third.code == 2);
  CHECK(third.err.find("holds checkpoints already; go on with --resume") != std::string::npos);
}
