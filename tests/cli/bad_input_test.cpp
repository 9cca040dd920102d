// Bad input of every kind: each line of these galleries is a command, its exit code and all that it says.
#include "support/approval.hpp"
#include "tiny_motion.hpp"

#include <csignal>

using namespace marey::test;
namespace fs = std::filesystem;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t i = 0; (i = text.find(what, i)) != std::string::npos; i += by.size())
    text.replace(i, what.size(), by);
  return text;
}

// Collects what commands say, with the folder of the test and the times of runs taken out.
class Gallery {
 public:
  void show(const TinyMotion& tiny, const std::vector<std::string>& words, int code,
            const RunWith& with = {}) {
    std::string line = "$ marey";
    for (const std::string& w : words) line += " " + w;
    const auto done = tiny.marey(words, with);
    INFO(line << "\n" << done.err);
    CHECK(done.code == code);
    text_ += replaced(line, tiny.path().string(), "<folder>") + "\n";
    text_ += replaced(done.err, tiny.path().string(), "<folder>");
    text_ += "exit code " + std::to_string(done.code) + "\n\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

TEST_CASE("recipes that cannot be read are refused with exit code 2") {
  const TinyMotion tiny;
  tiny.write("empty.toml", "");
  tiny.write("comment.toml", "# nothing but this\n");
  tiny.write("circle_a.toml", "base = \"circle_b.toml\"\n");
  tiny.write("circle_b.toml", "seed = 1\nbase = \"circle_a.toml\"\n");
  tiny.write("orphan.toml", "base = \"nowhere.toml\"\n");
  Gallery gallery;
  for (const std::string file :
       {"missing.toml", "empty.toml", "comment.toml", "circle_a.toml", "orphan.toml", "data"})
    gallery.show(tiny, {"train", file}, 2);
  gallery.show(tiny, {"train", "tiny.toml", "model.backbone.type=SlowFsat"}, 2);
  gallery.show(tiny, {"train", "tiny.toml", "model.backbone.aplha=4"}, 2);
  gallery.show(tiny, {"train", "tiny.toml", "optimizer.lr=fast", "model.backbone.alpha=0"}, 2);
  gallery.show(tiny, {"train", "tiny.toml", "alpha"}, 2);
  gallery.show(tiny, {"check", "tiny.toml", "model.head.num_classes=5"}, 2);
  gallery.show(tiny, {"check", "tiny.toml", "hooks.checkpoint.monitor=val/top3"}, 2);
  gallery.show(tiny, {"check", "tiny.toml", "model.backbone.alpha=3"}, 2);
  gallery.show(tiny, {"check", "tiny.toml", "model.backbone.strides=[1, 2, 2, 64]"}, 2);
  approve("bad_recipes.txt", gallery.text());

  // What the TOML library says differs from version to version.
  tiny.write("torn.toml", "[model\ntype = \"Recognizer\"\n");
  const auto torn = tiny.marey({"train", "torn.toml"});
  CHECK(torn.code == 2);
  CHECK(torn.err.find("torn.toml:1:7: error: not valid TOML: ") == 0);
  CHECK(torn.err.find("\n  1 | [model\n    |       ^\n") != std::string::npos);
  tiny.write("latin1.toml", "name = \"caf\xe9\"\n");
  const auto latin1 = tiny.marey({"train", "latin1.toml"});
  CHECK(latin1.code == 2);
  CHECK(latin1.err.find("latin1.toml:1:11: error: not valid TOML: ") == 0);
  CHECK(latin1.err.find("\n  1 | name = \"caf\uFFFD\"\n") != std::string::npos);
  CHECK(tiny.marey({"check", "tiny.toml", "train.device=cuda:99"}).code == 2);
  const auto huge = tiny.marey({"check", "tiny.toml", "model.backbone.stem_width=2000000000"});
  CHECK(huge.code == 1);
  CHECK(huge.err.find("error: model: Recognizer (plugin 'recognizer'): model.backbone: SlowFast") == 0);
  CHECK(std::count(huge.err.begin(), huge.err.end(), '\n') == 1);  // no stack of addresses
  CHECK_FALSE(fs::exists(tiny.path() / "runs"));
}

TEST_CASE("bad data ends with exit code 3") {
  const TinyMotion tiny;
  tiny.write("gone.csv", "data/train/left_000.mp4 0\ndata/train/gone.mp4 1\n");
  tiny.write("range.csv", "data/train/left_000.mp4 0\ndata/train/left_001.mp4 8\ndata/train/up_000.mp4 -1\n");
  tiny.write("words.csv", "data/train/left_000.mp4 left\n");
  tiny.write("empty.csv", "");
  Gallery gallery;
  for (const std::string list : {"gone.csv", "range.csv", "words.csv", "empty.csv", "nowhere.csv"})
    gallery.show(tiny, {"check", "tiny.toml", "data.train.annotations=" + list}, 3);
  gallery.show(tiny, {"train", "tiny.toml", "data.val.annotations=gone.csv"}, 3);
  approve("bad_data.txt", gallery.text());
  CHECK_FALSE(fs::exists(tiny.path() / "runs"));
}

TEST_CASE("a file that is no video ends the run, or is left out and noted down") {
  const TinyMotion tiny;
  const std::string junk = tiny.write("junk.mp4", "no video at all, only a text\n").string();
  std::string list;
  for (const char* name : {"left", "right", "up", "down", "grow"})
    list += "data/train/" + std::string(name) + "_000.mp4 0\n";
  tiny.write("list.csv", list + "junk.mp4 1\n");
  const std::string annotations = "data.train.annotations=list.csv";

  const auto failed = tiny.train("fail", {annotations});
  CHECK(failed.code == 3);
  CHECK(failed.err.find("error: " + junk + ": cannot be opened as a video") != std::string::npos);
  CHECK(failed.err.find("loader.on_error = \"skip\" would go on without such files") != std::string::npos);

  const auto skipped =
      tiny.train("skip", {annotations, "loader.on_error=skip", "loader.max_bad_fraction=0.2"});
  INFO(skipped.err);
  CHECK(skipped.code == 0);
  const std::string noted = marey::read_file(tiny.path() / "skip" / "bad_samples.jsonl");
  CHECK(noted.find(junk) != std::string::npos);
  CHECK(std::count(noted.begin(), noted.end(), '\n') == 1);  // once, though it was met in both epochs
  const auto at = skipped.err.find("warning: left out: " + junk);
  CHECK(at != std::string::npos);
  CHECK(skipped.err.find("left out", at + 20) == std::string::npos);

  const auto too_many =
      tiny.train("many", {annotations, "loader.on_error=skip", "loader.max_bad_fraction=0.1"});
  CHECK(too_many.code == 3);
  CHECK(too_many.err.find("1 of 6 samples cannot be used, more than max_bad_fraction = 0.1 allows") !=
        std::string::npos);
}

TEST_CASE("checkpoints that cannot be used are refused with exit code 5, other recipes with 2") {
  const TinyMotion tiny;
  REQUIRE(tiny.train("run", {"hooks.checkpoint.keep_best=0"}).code == 0);
  Gallery gallery;
  gallery.show(tiny, {"train", "tiny.toml", "--run-folder", "run"}, 2);
  gallery.show(tiny,
               {"train", "tiny.toml", "--resume", "run", "model.backbone.alpha=2", "optimizer.lr=0.1",
                "hooks.checkpoint.keep_best=0"},
               2);
  gallery.show(tiny, {"train", "tiny.toml", "--resume=data"}, 5);
  gallery.show(tiny, {"train", "tiny.toml", "--resume", "nowhere", "seed=3"}, 5);
  gallery.show(tiny, {"test", "tiny.toml"}, 2);
  gallery.show(tiny, {"test", "data"}, 2);
  gallery.show(tiny, {"test", "tiny.toml", "--weights", "nowhere"}, 2);
  gallery.show(tiny, {"test", "tiny.toml", "--weights", "run", "model.backbone.stem_width=4"}, 5);
  gallery.show(tiny, {"test", "tiny.toml", "--weights", "tiny.toml"}, 5);
  gallery.show(tiny, {"test", "run", "--weights", "best"}, 2);

  // Damage of the newest: the one before it is taken, unless the damaged one is asked for.
  const fs::path newest = tiny.path() / "run" / "checkpoints" / "step_000000008";
  std::string bytes = marey::read_file(newest / "model.safetensors");
  bytes[bytes.size() / 2] ^= 1;
  tiny.write("run/checkpoints/step_000000008/model.safetensors", bytes);
  gallery.show(tiny, {"test", "run/checkpoints/step_000000008"}, 5);
  gallery.show(tiny, {"train", "tiny.toml", "--resume=run/checkpoints/step_000000008"}, 5);
  gallery.show(tiny, {"test", "run", "--quiet"}, 0);
  fs::remove(tiny.path() / "run" / "checkpoints" / "step_000000004" / "state.json");
  gallery.show(tiny, {"train", "tiny.toml", "--resume=run"}, 5);
  approve("bad_checkpoints.txt", gallery.text());
}

TEST_CASE("a disk that fills up while saving leaves the older checkpoints, and --resume goes on later") {
  const TinyMotion tiny;
  REQUIRE(tiny.train("run", {"train.max_epochs=4", "hooks.checkpoint.interval_epochs=1"},
                     {.environment = {{"MAREY_FAULT", "ckpt.done:2"}}})
              .code == 1000 + SIGKILL);
  const std::string before = tiny.checkpoints("run");
  const auto full = tiny.train("run", {"train.max_epochs=4", "--resume"}, {.file_size_limit = 16 * 1024});
  INFO(full.err);
  CHECK(full.code == 5);
  CHECK(full.err.find("model.safetensors") != std::string::npos);
  CHECK(full.err.find("File too large") != std::string::npos);
  CHECK(full.err.find("the run goes on, the older checkpoints stand") != std::string::npos);
  CHECK(full.err.find("Make room, then use --resume") != std::string::npos);
  CHECK(tiny.checkpoints("run") == before);
  const auto later = tiny.train("run", {"train.max_epochs=4", "--resume"});
  INFO(later.err);
  CHECK(later.code == 0);
  CHECK(tiny.checkpoints("run").find("step_000000016") != std::string::npos);
}

TEST_CASE("a run folder that cannot be written is said at once, with exit code 1") {
  const TinyMotion tiny;
  tiny.write("file", "in the way\n");
  fs::create_directories(tiny.path() / "odd" / ".lock");
  Gallery gallery;
  gallery.show(tiny, {"train", "tiny.toml", "--run-folder", "file/run"}, 1);
  gallery.show(tiny, {"train", "tiny.toml", "--run-folder", "odd"}, 1);
  gallery.show(tiny, {"data", "motion", "--out", "file/motion", "--train", "1", "--val", "1"}, 1);
  approve("bad_folders.txt", gallery.text());
}

TEST_CASE("a plugin of another ABI stops only the recipes that need it") {
  const TinyMotion tiny;
  const std::string other = (build_folder() / "tests" / "plugins_bad" / "other_abi.so").string();
  const auto fine = tiny.marey({"check", "tiny.toml", "--plugin", other});
  CHECK(fine.code == 0);
  CHECK(fine.err.find("warning: plugin " + other) == 0);
  CHECK(fine.err.find("rebuild") != std::string::npos);
  const auto needed = tiny.marey({"check", "tiny.toml", "--plugin", other, "+hooks.tone.type=OtherAbiTone"});
  CHECK(needed.code == 2);
  CHECK(needed.err.find("no hook is called 'OtherAbiTone'") != std::string::npos);
  CHECK(needed.err.find("marey-1;") != std::string::npos);  // the plugin's side and ours
}
