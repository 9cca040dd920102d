#include "train/weights.hpp"

#include <marey/core/error.hpp>
#include <marey/train/runner.hpp>
#include <marey/train/weight_fit.hpp>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace marey {
namespace {

constexpr std::size_t most_shown = 5;
constexpr std::string_view counter = "num_batches_tracked";

std::string shape(const std::vector<std::int64_t>& sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

// One line a kind of problem: how many, and the first few.
void report(std::string& out, std::string_view what, const std::vector<std::string>& names, bool all) {
  if (names.empty()) return;
  const auto shown = all ? names.size() : std::min(names.size(), most_shown);
  out +=
      fmt::format("\n  {} {}: {}{}", names.size(), what,
                  fmt::join(names.begin(), names.begin() + shown, ", "), names.size() > shown ? ", …" : "");
}

// A counter whose norm has its statistics in the file.
bool is_spare_counter(const std::string& name, const TensorMap& weights) {
  return name.ends_with(counter) &&
         weights.contains(name.substr(0, name.size() - counter.size()) + "running_mean");
}

}  // namespace

TensorMap model_weights(const Model& model) {
  TensorMap out;
  for (const auto& item : model.named_parameters()) out.emplace(item.key(), item.value().detach());
  for (const auto& item : model.named_buffers())
    if (item.value().defined()) out.emplace(item.key(), item.value().detach());
  return out;
}

WeightFit compare_weights(const Model& model, const TensorMap& weights) {
  WeightFit out;
  const TensorMap own = model_weights(model);
  for (const auto& [name, tensor] : own) {
    const auto found = weights.find(name);
    if (found != weights.end() && found->second.sizes() != tensor.sizes())
      out.unlike.push_back({name, tensor.sizes().vec(), found->second.sizes().vec()});
    else if (found != weights.end() || is_spare_counter(name, weights))
      out.fitting.push_back(name);
    else
      out.missing.push_back(name);
  }
  for (const auto& [name, tensor] : weights)
    if (!own.contains(name)) out.unused.push_back(name);
  return out;
}

std::string differences_text(const WeightFit& fit, bool all) {
  std::string out;
  std::vector<std::string> unlike;
  for (const auto& [name, model, file] : fit.unlike)
    unlike.push_back(fmt::format("{} (model {}, file {})", name, shape(model), shape(file)));
  report(out, "tensors of another shape", unlike, all);
  report(out, "tensors of the model are missing", fit.missing, all);
  report(out, "tensors are unknown to the model", fit.unused, all);
  return out;
}

void load_weights(Model& model, const TensorMap& weights, bool partial) {
  WeightFit fit = compare_weights(model, weights);
  const bool none = fit.fitting.empty() && !fit.missing.empty();
  if (partial && !none) fit.missing.clear();
  if (partial) fit.unused.clear();
  if (!fit.complete()) throw CheckpointError("the weights do not fit the model" + differences_text(fit));
  const at::NoGradGuard no_grad;
  for (auto& [name, tensor] : model_weights(model)) {
    const auto found = weights.find(name);
    if (found != weights.end())
      tensor.copy_(found->second);
    else if (is_spare_counter(name, weights))
      tensor.zero_();
  }
}

}  // namespace marey
