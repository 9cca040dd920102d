// A recipe trains a small TimeSformer: with the plugins that ship it learns eight clips by heart.
#include "support/catch.hpp"
#include "support/places.hpp"
#include "train/small_run.hpp"

#include <marey/core/files.hpp>
#include <marey/core/plugin_loader.hpp>

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include <random>
#include <sstream>

using namespace marey;
using namespace marey::test;
namespace fs = std::filesystem;

namespace {

// Clips of noise, each a class of its own.
class NoiseDataset : public Dataset {
 public:
  struct Params {
    std::int64_t samples = 8;
  };
  static auto schema() { return Schema<Params>{}.arg<&Params::samples>({.doc = "clips"}); }
  explicit NoiseDataset(Params p) : pipeline_{std::make_shared<FourFrames>()} {
    for (std::int64_t i = 0; i < p.samples; ++i) names_.push_back(fmt::format("class {}", i));
  }
  std::size_t size() const override { return names_.size(); }
  data::Sample sample(std::size_t i) const override {
    return {.source = fmt::format("noise {}", i), .labels = {static_cast<std::int64_t>(i)}, .index = i};
  }
  std::span<const std::shared_ptr<Transform>> pipeline() const override { return pipeline_; }
  std::int64_t num_classes() const override { return static_cast<std::int64_t>(names_.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::unique_ptr<media::FrameSource> open(const data::Sample& s) const override {
    return std::make_unique<Noise>(s.index);
  }

 private:
  struct FourFrames : Transform {
    void apply(data::Clip& clip, Random&) const override { clip.frames = {{0, 1, 2, 3}}; }
  };
  struct Noise : media::FrameSource {
    explicit Noise(std::size_t index) : seed(100 * index) {
      about.frames = 4;
      about.width = about.height = 16;
    }
    const media::VideoInfo& info() const override { return about; }
    void read(std::span<const media::FrameRequest> requests) override {
      for (const auto& r : requests) {
        std::mt19937 draw(static_cast<unsigned>(seed) + static_cast<unsigned>(r.index));
        std::generate_n(r.pixels, r.geometry.out_width * r.geometry.out_height * 3,
                        [&] { return static_cast<std::uint8_t>(draw()); });
      }
    }
    const media::ReadStats& stats() const override { return counters; }
    std::size_t seed;
    media::VideoInfo about;
    media::ReadStats counters;
  };
  std::vector<std::shared_ptr<Transform>> pipeline_;
  std::vector<std::string> names_;
};

// Two micro-steps a step, two steps an epoch.
constexpr const char* recipe_text = R"(
seed = 3
[model]
type = "Recognizer"
[model.backbone]
type = "TimeSformer"
attention_type = "divided_space_time"
embed_dim = 32
depth = 2
num_heads = 4
patch_size = 8
image_size = 16
frames = 4
activation_checkpointing = 1
[model.head]
type = "TransformerHead"
num_classes = 8
[model.loss]
type = "CrossEntropy"
[data.train]
type = "NoiseDataset"
[data.val]
type = "NoiseDataset"
[loader]
batch_size = 2
test_batch_size = 4
[train]
max_epochs = 50
eval_interval = 50
device = "cpu"
[optimizer]
type = "AdamW"
lr = 0.005
weight_decay = 0.05
[optimizer.paramwise]
cls_token = { decay_mult = 0 }
pos_embed = { decay_mult = 0 }
time_embed = { decay_mult = 0 }
[schedule]
type = "Cosine"
warmup_steps = 5
[hooks.accumulate]
type = "GradientAccumulation"
steps = 2
[hooks.clip]
type = "GradClip"
max_norm = 40
[hooks.jsonl]
type = "JsonlLog"
interval = 4
[[metrics]]
type = "TinyTop1"
)";

std::vector<double> losses(const fs::path& file) {
  std::vector<double> out;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const auto entry = nlohmann::json::parse(line);
    if (entry.contains("loss")) out.push_back(entry["loss"].get<double>());
  }
  return out;
}

}  // namespace

TEST_CASE("a recipe trains a small TimeSformer: the loss on eight clips of noise falls") {
  at::set_num_threads(1);  // for tensors this small, threads would mostly wait for each other
  SmallRun run;
  run.registry.add<Dataset, NoiseDataset>("NoiseDataset", "clips of noise");
  PluginLoader loader{run.registry};
  for (const char* name : {"timesformer", "heads", "losses", "recognizer", "optimizers", "schedules",
                           "accumulation", "grad_clip", "logging"}) {
    const auto& status = loader.load(plugin_file(name));
    INFO(status.problem);
    REQUIRE(status.loaded);
  }
  run.recipe = run.folder.write("timesformer.toml", recipe_text);
  const RunResult result = run.train({}, {.folder = run.run_folder()});
  CHECK(result.code == ExitCode::ok);
  CHECK(result.steps == 100);
  const auto seen = losses(run.run_folder() / "metrics.jsonl");
  REQUIRE(seen.size() >= 10);
  INFO("loss " << seen.front() << " to " << seen.back());
  CHECK(seen.front() > 1.5);
  CHECK(seen.back() < 0.3 * seen.front());
}
