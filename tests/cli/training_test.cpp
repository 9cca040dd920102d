// train, test, predict and check on real videos, with the whole program.
#include "tiny_motion.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

using namespace marey::test;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("data motion writes a data set once") {
  const TemporaryFolder dir;
  const auto make = [&](const std::string& seed) {
    return marey_run({"data", "motion", "--out", "motion", "--train", "1", "--val", "1", "--seed", seed},
                     {.folder = dir.path()});
  };
  const auto first = make("1");
  INFO(first.err);
  CHECK(first.code == 0);
  CHECK(first.err.find("motion: 8 training and 8 validation clips") != std::string::npos);
  CHECK(fs::exists(dir.path() / "motion" / "train" / "left_000.mp4"));
  const auto again = make("1");
  CHECK(again.code == 0);
  CHECK(again.err.find("complete already, left as it is") != std::string::npos);
  CHECK(make("2").code == 3);  // another data set is there
  CHECK(marey_run({"data", "motion"}).code == 2);
  CHECK(marey_run({"data", "motion", "--out", "x", "--train", "0"}, {.folder = dir.path()}).code == 2);
}

TEST_CASE("a run leaves its folder, and test and predict use it") {
  const TinyMotion tiny;
  const auto checked = tiny.marey({"check", "tiny.toml"});
  INFO(checked.err);
  CHECK(checked.code == 0);
  CHECK(checked.err == "tiny.toml: in order\n");
  CHECK_FALSE(fs::exists(tiny.path() / "runs"));

  const auto trained = tiny.marey({"train", "tiny.toml", "--json", "train.max_epochs=3"});
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  const json result = json::parse(trained.out);
  CHECK(result["steps"] == 12);
  CHECK(result["epochs"] == 3);
  CHECK(result["metrics"]["val/count"] == 8);

  const fs::path run = tiny.path() / "runs" / "tiny" / "latest";
  CHECK(fs::canonical(run) == fs::canonical(tiny.path() / result["folder"].get<std::string>()));
  CHECK(marey::read_file(run / "recipe.toml").find("max_epochs = 3") != std::string::npos);
  const json environment = json::parse(marey::read_file(run / "env.json"));
  CHECK(environment["command"].back() == "train.max_epochs=3");
  CHECK(environment["machine"]["device"] == "cpu");
  CHECK(marey::read_file(run / "train.log").find("epoch 3/3 step 4/4 loss") != std::string::npos);
  CHECK(tiny.checkpoints("runs/tiny/latest").find("step_000000012") != std::string::npos);
  CHECK(json::parse(marey::read_file(run / "checkpoints" / "last.json"))["step"] == 12);

  std::istringstream lines(marey::read_file(run / "metrics.jsonl"));
  int train = 0, eval = 0;
  for (std::string line; std::getline(lines, line);) {
    const json entry = json::parse(line);
    (entry["kind"] == "train" ? train : eval) += 1;
    CHECK(entry["step"].get<int>() == (entry["kind"] == "train" ? train : 4 * eval));
  }
  CHECK(train == 12);
  CHECK(eval == 3);

  SECTION("test gives what the last evaluation gave") {
    const auto tested = tiny.marey({"test", "tiny.toml", "--weights", "last", "--json"});
    INFO(tested.err);
    REQUIRE(tested.code == 0);
    const json metrics = json::parse(tested.out);
    CHECK(metrics["count"] == 8);
    CHECK(metrics["top1"] == result["metrics"]["val/top1"]);
    CHECK(metrics["top5"] == result["metrics"]["val/top5"]);
    const auto text = tiny.marey({"test", run.string(), "--weights", "last"});
    CHECK(text.out.find("count = 8\n") == 0);
    CHECK(tiny.marey({"test", "tiny.toml", "--split", "train", "--json"}).out.find("\"count\": 16") !=
          std::string::npos);
    CHECK(tiny.marey({"test", "tiny.toml", "--split", "tset"}).code == 2);
  }
  SECTION("test takes the best weights unless told otherwise") {
    const json best = json::parse(marey::read_file(run / "checkpoints" / "best.json"))["best"][0];
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"test", "tiny.toml", "--json"},
          std::vector<std::string>{"test", "tiny.toml", "--json", "--weights", "best"}}) {
      const auto tested = tiny.marey(words);
      INFO(tested.err);
      REQUIRE(tested.code == 0);
      const json metrics = json::parse(tested.out);
      CHECK(fs::path(metrics["weights"].get<std::string>()).filename().string() == best["checkpoint"]);
      CHECK(metrics["top1"] == best["value"]);
    }
  }
  SECTION("predict names the classes of each file, as text and as JSON") {
    const std::vector<std::string> files{"data/val/left_000.mp4", "data/val/grow_000.mp4"};
    const auto as_json = tiny.marey({"predict", "tiny.toml", "--json", "--top-k", "8", files[0], files[1]});
    INFO(as_json.err);
    REQUIRE(as_json.code == 0);
    const json answers = json::parse(as_json.out);
    REQUIRE(answers.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(answers[i]["file"] == files[i]);
      REQUIRE(answers[i]["classes"].size() == 8);
      double sum = 0, before = 1;
      for (const auto& c : answers[i]["classes"]) {
        const double p = c["probability"];
        CHECK(p <= before);
        before = p;
        sum += p;
      }
      CHECK(std::abs(sum - 1) < 1e-4);
    }
    const auto text = tiny.marey({"predict", run.string(), "--top-k", "1", files[1], files[0]});
    CHECK(text.code == 0);
    CHECK(text.out.find(files[1] + "\n  0.") == 0);
    CHECK(text.out.find(answers[0]["classes"][0]["class"].get<std::string>()) != std::string::npos);
  }
  SECTION("predict answers for the other files when one is no video") {
    tiny.write("notes.mp4", "no video at all, only a text\n");
    const auto done =
        tiny.marey({"predict", "tiny.toml", "--json", "notes.mp4", "gone.mp4", "data/val/up_000.mp4"});
    CHECK(done.code == 3);
    const json answers = json::parse(done.out);
    CHECK(answers[0]["error"].get<std::string>().find("notes.mp4") != std::string::npos);
    CHECK(answers[1]["error"].get<std::string>().find("gone.mp4: no such file") != std::string::npos);
    CHECK(answers[2]["classes"].size() == 5);
    CHECK(done.err.find("on_error") == std::string::npos);  // no recipe key would help here
  }
}

TEST_CASE("batches and weights are the same for any number of loader threads") {
  const TinyMotion tiny;
  for (const std::string threads : {"1", "2", "4"}) {
    const auto done = tiny.train("run" + threads, {"loader.threads=" + threads});
    INFO(done.err);
    REQUIRE(done.code == 0);
    CHECK(tiny.weights("run" + threads, "step_000000008") == tiny.weights("run1", "step_000000008"));
  }
  REQUIRE(tiny.train("other", {"seed=4"}).code == 0);
  CHECK(tiny.weights("other", "step_000000008") != tiny.weights("run1", "step_000000008"));
}

TEST_CASE("a loss that is no number ends the run with exit code 4, and the weights before it stay") {
  const TinyMotion tiny;
  const auto done = tiny.train("run", {"optimizer.lr=1e30"});
  CHECK(done.code == 4);
  CHECK(done.err.find("the weights were not updated") != std::string::npos);
  CHECK(done.err.find("lower optimizer.lr") != std::string::npos);
}
