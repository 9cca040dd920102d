#include "train/weight_name_tables.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/core/error.hpp>
#include <marey/core/recipe.hpp>
#include <marey/train/checkpoint.hpp>
#include <marey/train/foreign_weights.hpp>
#include <marey/train/weight_names.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

namespace marey {
namespace {

constexpr std::size_t longest_name = 1024;

bool has_sign(const WeightNameTable& table, const TensorMap& weights) {
  const auto at = weights.lower_bound(std::string(table.sign));
  return at != weights.end() && at->first.starts_with(table.sign);
}

void require_project(const std::string& name, bool or_auto) {
  const auto projects = weight_projects();
  if ((or_auto && name == "auto") || std::ranges::find(projects, name) != projects.end()) return;
  const std::vector<std::string> known(projects.begin(), projects.end());
  throw UsageError(fmt::format("names of '{}': expected {}{}{}", name, or_auto ? "auto, " : "",
                               fmt::join(known, ", "), did_you_mean(name, known)));
}

// The table that the names show, of the project where one is given; else that project's first; null: none.
const WeightNameTable* find_table(std::string_view project, const TensorMap& weights) {
  const WeightNameTable* first = nullptr;
  for (const WeightNameTable& table : weight_name_tables()) {
    if (!project.empty() && table.project != project) continue;
    if (has_sign(table, weights)) return &table;
    if (!project.empty() && !first) first = &table;
  }
  return first;
}

class Renaming {
 public:
  explicit Renaming(const WeightNameTable* table) {
    if (!table) return;
    for (const WeightNameRule& rule : table->rules) rules_.emplace_back(std::regex(rule.pattern), rule.text);
  }
  std::string operator()(std::string name) const {
    for (const auto& [pattern, text] : rules_) name = std::regex_replace(name, pattern, text);
    return name;
  }

 private:
  std::vector<std::pair<std::regex, const char*>> rules_;
};

// DistributedDataParallel adds `module.`, some trainers `model.`.
TensorMap without_prefixes(TensorMap all, std::map<std::string, std::string>& origin) {
  const auto strip = [&](std::string_view prefix, bool only_if_all) {
    const auto has = [&](const auto& entry) { return entry.first.starts_with(prefix); };
    if (only_if_all ? !std::ranges::all_of(all, has) : std::ranges::none_of(all, has)) return false;
    TensorMap out;
    std::map<std::string, std::string> named;
    for (auto& [name, tensor] : all) {
      const std::string left = has(std::pair(name, 0)) ? name.substr(prefix.size()) : name;
      const auto& given = origin.at(name);
      if (!out.emplace(left, std::move(tensor)).second)
        throw CheckpointError(fmt::format("the weights hold both '{}' and '{}'", named.at(left), given));
      named.emplace(left, given);
    }
    all = std::move(out), origin = std::move(named);
    return true;
  };
  constexpr int most = 8;  // of prefixes on one name
  for (int i = 0; i < most && !all.empty() && strip("module.", false); ++i) continue;
  if (!all.empty()) strip("model.", true);
  return all;
}

}  // namespace

std::span<const std::string_view> weight_projects() {
  static constexpr std::array<std::string_view, 6> names{"marey",        "mmaction2",   "pyslowfast",
                                                         "pytorchvideo", "timesformer", "hf"};
  return names;
}

std::string_view detect_weight_project(const TensorMap& weights) {
  const WeightNameTable* table = find_table({}, weights);
  return table ? table->project : std::string_view();
}

NamedWeights with_own_names(TensorMap weights, const std::string& from) {
  require_project(from, true);
  NamedWeights out;
  std::map<std::string, std::string> origin;
  for (const auto& [name, tensor] : weights) {
    // std::regex recurses for each character.
    if (name.size() > longest_name)
      throw CheckpointError(
          fmt::format("a tensor's name has {} bytes, at most {} expected", name.size(), longest_name));
    origin.emplace(name, name);
  }
  weights = without_prefixes(std::move(weights), origin);
  const WeightNameTable* table = find_table(from == "auto" ? std::string_view() : from, weights);
  if (table) out.project = table->project;
  const Renaming ours(table);
  for (auto& [name, tensor] : weights) {
    const std::string own = ours(name);
    if (!out.weights.emplace(own, std::move(tensor)).second)
      throw CheckpointError(fmt::format("the weights '{}' and '{}' of {} would both be '{}' here",
                                        out.names.at(own), origin.at(name), out.project, own));
    out.names.emplace(own, origin.at(name));
  }
  return out;
}

TensorMap with_project_names(const TensorMap& weights, const std::string& project) {
  require_project(project, false);
  if (project == "marey" || weights.empty()) return weights;
  const WeightNameTable* table = nullptr;
  for (const WeightNameTable& candidate : weight_name_exports())
    if (!table && candidate.project == project && has_sign(candidate, weights)) table = &candidate;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{} has no names for these weights: {}", project, why));
  };
  if (!table) refuse(fmt::format("'{}' and so on are of no network known there", weights.begin()->first));
  const Renaming theirs(table);
  TensorMap out;
  for (const auto& [name, tensor] : weights) {
    // The form of non-local blocks is PySlowFast's.
    if (project != "pyslowfast" && name.find(".nonlocal") != std::string::npos)
      refuse(fmt::format("'{}' is of a non-local block", name));
    if (!out.emplace(theirs(name), tensor).second)
      refuse(fmt::format("'{}' would have the name of another", name));
  }
  const NamedWeights back = with_own_names(out, project);
  for (const auto& [name, tensor] : weights)
    if (!back.weights.contains(name)) refuse(fmt::format("'{}' is unknown there", name));
  return out;
}

NamedWeights read_named_weights(const std::filesystem::path& path, const std::string& from) {
  if (std::filesystem::is_directory(path)) {
    NamedWeights out = with_own_names(read_checkpoint(path).model, from == "auto" ? "marey" : from);
    out.container = "checkpoint";
    return out;
  }
  ForeignWeights file = read_foreign_weights(path);
  try {
    NamedWeights out = with_own_names(std::move(file.weights), from);
    out.container = std::move(file.container);
    out.found_under = std::move(file.found_under);
    out.rest = std::move(file.rest);
    return out;
  } catch (const CheckpointError& e) {
    throw CheckpointError(fmt::format("{}: {}", path.string(), e.what()));
  }
}

std::vector<std::string> unlike_settings(std::string_view project, const Value& resolved_recipe) {
  std::vector<std::string> out;
  for (const Leaf& leaf : leaves(resolved_recipe))
    for (const WeightNameTable& table : weight_name_tables())
      for (const WeightSetting& setting : table.settings)
        if (table.project == project && leaf.path == setting.path &&
            to_inline_toml(*leaf.value) != setting.value)
          out.push_back(fmt::format("{} is {}, weights of {} expect {}", leaf.path,
                                    to_inline_toml(*leaf.value), project, setting.value));
  return out;
}

}  // namespace marey
