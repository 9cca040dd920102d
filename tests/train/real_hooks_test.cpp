// The runner with the hooks, optimizer and schedule that ship, as plugins. The model and the data stay small.
#include "support/catch.hpp"
#include "support/places.hpp"
#include "train/small_run.hpp"

#include <marey/core/files.hpp>
#include <marey/core/plugin_loader.hpp>

using namespace marey;
using namespace marey::test;
using Strings = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

// Ten steps an epoch by windows of two, the last of one. The first loss scale overflows in float16, so that
// the run begins with skipped steps.
constexpr const char* shipped = R"(
base = "small.toml"
data.train._delete_ = true
data.train.type = "TinyDataset"
data.train.samples = 38
loader.batch_size = 2
train.max_epochs = 3
[optimizer]
_delete_ = true
type = "AdamW"
lr = 0.05
weight_decay = 0.01
[schedule]
_delete_ = true
type = "Cosine"
warmup_steps = 5
[hooks.amp]
type = "AMP"
dtype = "float16"
init_scale = 1e36
growth_interval = 4
max_skipped = 1000
[hooks.accumulate]
type = "GradientAccumulation"
steps = 2
[hooks.clip]
type = "GradClip"
max_norm = 0.5
[hooks.checkpoint]
type = "Checkpoint"
monitor = "val/top1"
keep_last = 2
[hooks.stop]
type = "EarlyStopping"
monitor = "val/top1"
patience = 50
[hooks.log]
type = "TextLog"
[hooks.jsonl]
type = "JsonlLog"
[hooks.progress]
type = "Progress"
[hooks.trace]
type = "Trace"
)";

struct ShippedRun : SmallRun {
  ShippedRun() {
    recipe = folder.write("shipped.toml", shipped);
    for (const char* name : {"optimizers", "schedules", "amp", "accumulation", "grad_clip", "checkpoint",
                             "early_stopping", "logging"}) {
      const auto& status = loader.load(marey::test::build_folder() / "lib" / "marey" / "plugins" /
                                       (name + std::string(".so")));
      INFO(status.problem);
      REQUIRE(status.loaded);
    }
  }
  PluginLoader loader{registry};
};

void check_equal(const TensorMap& a, const TensorMap& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, tensor] : a) {
    INFO(name);
    CHECK(tensor.equal(b.at(name)));
  }
}

std::size_t lines(const fs::path& file) {
  const std::string text = read_file(file);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE(
    "with the hooks that ship: a resumed run equals the uninterrupted one bit by bit, the loss scale too") {
  const ShippedRun small;
  const auto whole = small.train({}, {.folder = small.run_folder("whole")});
  const Strings batches = take_events();
  CHECK(batches.size() == 57);
  const auto expected = read_checkpoint(small.newest("whole"));
  const auto skipped = expected.hooks.at("amp").values.at("overflows").get<std::int64_t>();
  CHECK(skipped > 0);
  CHECK(whole.steps == 30 - skipped);
  CHECK(list_checkpoints(small.run_folder("whole") / "checkpoints").size() <= 3);

  for (const std::int64_t after : {3, 14, 20}) {  // while steps overflow, within an epoch, at an epoch's end
    INFO("interrupted after " << after);
    const std::string name = std::to_string(after);
    CHECK(small.train({}, {.folder = small.run_folder(name), .stop_after_steps = after}).code ==
          ExitCode::interrupted);
    small.train({}, {.folder = small.run_folder(name), .resume = small.newest(name)});
    CHECK(take_events() == batches);
    const auto got = read_checkpoint(small.newest(name));
    CHECK(got.state == expected.state);
    check_equal(got.model, expected.model);
    CHECK(got.optimizer.values == expected.optimizer.values);
    check_equal(got.optimizer.tensors, expected.optimizer.tensors);
    for (const char* hook : {"amp", "stop", "trace"})
      CHECK(got.hooks.at(hook).values == expected.hooks.at(hook).values);
    CHECK(lines(small.run_folder(name) / "metrics.jsonl") >=
          lines(small.run_folder("whole") / "metrics.jsonl"));
  }
}
