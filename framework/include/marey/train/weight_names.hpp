// The names that weights have in other projects, and here.
#pragma once
#include <marey/core/value.hpp>
#include <marey/train/state.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

// "marey", "mmaction2", "pyslowfast", "pytorchvideo", "timesformer" (its repository), "hf" (Hugging Face).
// The names of SlowFast and TimeSformer networks are known, as far as the project has them.
std::span<const std::string_view> weight_projects();

// Goes by names that only one project has; empty where there is none of them.
std::string_view detect_weight_project(const TensorMap&);

struct NamedWeights {
  TensorMap weights;                         // under our names
  std::map<std::string, std::string> names;  // ours → the file's
  std::string project;                       // empty: not recognised, the names are the file's
  std::string container, found_under;        // as in ForeignWeights
  nlohmann::json rest;
};

// Reads a weight file or one of our checkpoint folders. The prefixes `module.` and, where every name has it,
// `model.` are taken off. `from` is a project or "auto". Throws UsageError for an unknown project,
// CheckpointError for a file that cannot be read and for two tensors that would have one name.
NamedWeights read_named_weights(const std::filesystem::path&, const std::string& from = "auto");

// The same for weights that are in memory already. A tensor that the project has no rule for keeps its name.
NamedWeights with_own_names(TensorMap, const std::string& from = "auto");

// Our weights under the names of a project; for "marey", as they are. Throws UsageError where the project is
// unknown, has no such network, or a name would not come back as it was.
TensorMap with_project_names(const TensorMap&, const std::string& project);

// Parameters that weights of the project depend on without a shape telling it, and that the recipe sets
// otherwise: "model.head.concat is \"slow_fast\", weights of mmaction2 expect \"fast_slow\"".
std::vector<std::string> unlike_settings(std::string_view project, const Value& resolved_recipe);

}  // namespace marey
