// A run of the small parts, described by a recipe like any other.
#pragma once
#include "support/temporary_folder.hpp"
#include "train/small_hooks.hpp"
#include "train/small_parts.hpp"

#include <marey/core/log.hpp>
#include <marey/train/runner.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace marey::test {

// 20 clips in batches of 3: seven micro-steps an epoch, the last with two clips.
inline constexpr const char* small_recipe = R"(
seed = 7
[model]
type = "TinyModel"
[data.train]
type = "TinyDataset"
[data.val]
type = "TinyDataset"
samples = 11
[loader]
batch_size = 3
test_batch_size = 4
[train]
max_epochs = 2
device = "cpu"
[optimizer]
type = "Momentum"
[schedule]
type = "LinearDecay"
[[metrics]]
type = "TinyTop1"
)";

struct SmallRun {
  SmallRun() {
    log::set_level(log::Level::error);
    add_small_parts(registry);
    add_small_hooks(registry);
    recipe = folder.write("small.toml", small_recipe);
    take_events();
  }
  LoadedRecipe load(const std::vector<std::string>& overrides = {}) const {
    return load_experiment(registry, recipe, overrides);
  }
  RunResult train(const std::vector<std::string>& overrides, RunOptions options = {}) const {
    if (options.folder.empty()) options.folder = run_folder();
    return run_training(load(overrides), options);
  }
  std::filesystem::path run_folder(const std::string& name = "run") const { return folder.path() / name; }
  std::filesystem::path newest(const std::string& name = "run") const {
    return newest_valid_checkpoint(run_folder(name) / "checkpoints").value();
  }

  TemporaryFolder folder;
  Registry registry;
  std::filesystem::path recipe;
};

inline std::string error_of(auto&& act) {
  try {
    act();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace marey::test
