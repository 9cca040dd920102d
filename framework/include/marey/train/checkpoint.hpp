// A checkpoint is a folder checkpoints/step_000012000/ with model.safetensors, optimizer.safetensors,
// hooks.safetensors (where a hook keeps tensors), state.json and manifest.json (bytes and XXH3-128 of each
// file). It is written under a temporary name, flushed, renamed; then last.json is replaced. A crash or a
// full disk at any point leaves the previous checkpoint loadable.
#pragma once
#include <marey/train/state.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace marey {

struct Checkpoint {
  TensorMap model;  // parameters and buffers by name
  State optimizer;
  std::map<std::string, State> hooks;  // by the hook's key in the recipe
  nlohmann::json state =
      nlohmann::json::object();  // step, epoch, position, metrics, RNG, class names, recipe hash, versions
  std::int64_t step() const { return state.value("step", std::int64_t{0}); }
};

// Returns the new folder. Throws Error (the run goes on with a warning, the old checkpoints stand).
std::filesystem::path write_checkpoint(const std::filesystem::path& checkpoints, const Checkpoint&);
// Verifies the manifest first. Throws CheckpointError naming the file and what is wrong.
Checkpoint read_checkpoint(const std::filesystem::path& folder);
void verify_checkpoint(const std::filesystem::path& folder);

// The newest checkpoint of a run that verifies; each one passed over is reported through `skipped`.
std::optional<std::filesystem::path> newest_valid_checkpoint(const std::filesystem::path& checkpoints,
                                                             std::vector<std::string>* skipped = nullptr);
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& checkpoints);  // by step
void remove_checkpoint(
    const std::filesystem::path& folder);  // renamed first, so that a half-removed one is never seen
// Removes what processes that are gone left half written or half removed; returns it.
std::vector<std::filesystem::path> remove_leftovers(const std::filesystem::path& checkpoints);

}  // namespace marey
