// A small motion data set, and a recipe that learns from it for about a second. Each test has a folder of its
// own; the videos are made once and shared.
#pragma once
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/files.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace marey::test {

// 16 training and 8 validation clips. Test programs run beside each other: one makes it, the others wait.
inline std::filesystem::path tiny_motion_videos() {
  namespace fs = std::filesystem;
  const fs::path parent = build_folder() / "tests" / "cli";
  fs::create_directories(parent);
  const int lock = ::open((parent / "motion.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ::flock(lock, LOCK_EX);
  const auto done =
      marey_run({"data", "motion", "--out", (parent / "motion").string(), "--train", "2", "--val", "1"});
  ::close(lock);
  if (done.code != 0) throw std::runtime_error("no motion data set: " + done.err);
  return parent / "motion";
}

class TinyMotion {
 public:
  TinyMotion() {
    std::filesystem::create_directory_symlink(tiny_motion_videos(), path() / "data");
    write("tiny.toml", recipe);
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    return folder_.write(name, text);
  }

  Finished marey(std::vector<std::string> words, RunWith with = {}) const {
    with.folder = path();
    return marey_run(std::move(words), with);
  }
  // `marey train tiny.toml --run-folder RUN …`
  Finished train(const std::string& run, const std::vector<std::string>& more = {},
                 const RunWith& with = {}) const {
    return marey(train_words(run, more), with);
  }
  Child start_training(const std::string& run, const std::vector<std::string>& more = {}) const {
    auto words = train_words(run, more);
    words.insert(words.begin(), marey_program());
    return Child(words, {.folder = path()});
  }
  std::string weights(const std::string& run, const std::string& step) const {
    return read_file(path() / run / "checkpoints" / step / "model.safetensors");
  }
  // The steps of the checkpoints that are there, each with a blank in front.
  std::string checkpoints(const std::string& run) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path() / run / "checkpoints"))
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    std::string out;
    for (const auto& name : names) out += " " + name;
    return out;
  }

 private:
  static std::vector<std::string> train_words(const std::string& run, const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", "tiny.toml", "--run-folder", run};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Four steps an epoch. One LibTorch thread: more of them only wait for each other on clips this small.
  static constexpr std::string_view recipe = R"(seed = 3
[model]
type = "Recognizer"
[model.backbone]
type = "SlowFast"
blocks = [1, 1, 1, 1]
block = "basic"
alpha = 4
stem_width = 8
widths = [8, 8, 8, 8]
fast_stem_width = 2
fast_widths = [2, 2, 2, 2]
[model.head]
type = "SlowFastHead"
num_classes = 8
dropout = 0.2
[model.loss]
type = "CrossEntropy"

[data.train]
type = "VideoDataset"
annotations = "data/train.csv"
class_names = "data/classes.txt"
[[data.train.pipeline]]
type = "SampleFrames"
clip_len = 8
interval = 2
out_of_bound = "clamp"
[[data.train.pipeline]]
type = "Resize"
size = 36
[[data.train.pipeline]]
type = "RandomCrop"
size = 32

[data.val]
type = "VideoDataset"
annotations = "data/val.csv"
class_names = "data/classes.txt"
[[data.val.pipeline]]
type = "SampleFrames"
clip_len = 8
interval = 2
out_of_bound = "clamp"
[[data.val.pipeline]]
type = "Resize"
size = 36
[[data.val.pipeline]]
type = "CenterCrop"
size = 32

[[metrics]]
type = "TopK"
k = [1, 5]

[loader]
batch_size = 4
test_batch_size = 4

[train]
max_epochs = 2
device = "cpu"
threads = 1

[optimizer]
type = "SGD"
lr = 0.05
[schedule]
type = "Cosine"
warmup_steps = 2

[hooks.checkpoint]
type = "Checkpoint"
monitor = "val/top1"
[hooks.text_log]
type = "TextLog"
interval = 1
[hooks.jsonl_log]
type = "JsonlLog"
interval = 1
)";

  TemporaryFolder folder_;
};

// Until a child has said `text`.
inline void wait_for(const Child& child, const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (child.err_so_far().find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("the program never said: " + text + "\n" + child.err_so_far());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace marey::test
