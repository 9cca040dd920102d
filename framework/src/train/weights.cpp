#include "train/weights.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/core/error.hpp>
#include <marey/train/runner.hpp>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace marey {
namespace {

constexpr std::size_t most_shown = 5;

std::string shape(const at::Tensor& t) { return fmt::format("[{}]", fmt::join(t.sizes(), ", ")); }

// One line a kind of problem: how many, and the first few.
void report(std::string& out, std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const auto shown = std::min(names.size(), most_shown);
  out +=
      fmt::format("\n  {} {}: {}{}", names.size(), what,
                  fmt::join(names.begin(), names.begin() + shown, ", "), names.size() > shown ? ", …" : "");
}

}  // namespace

TensorMap model_weights(const Model& model) {
  TensorMap out;
  for (const auto& item : model.named_parameters()) out.emplace(item.key(), item.value().detach());
  for (const auto& item : model.named_buffers())
    if (item.value().defined()) out.emplace(item.key(), item.value().detach());
  return out;
}

void load_weights(Model& model, const TensorMap& weights, bool partial) {
  TensorMap own = model_weights(model);
  std::vector<std::string> missing, unknown, unlike;
  for (const auto& [name, tensor] : own) {
    const auto found = weights.find(name);
    if (found == weights.end())
      missing.push_back(name);
    else if (found->second.sizes() != tensor.sizes())
      unlike.push_back(fmt::format("{} (model {}, file {})", name, shape(tensor), shape(found->second)));
  }
  for (const auto& [name, tensor] : weights)
    if (!own.contains(name)) unknown.push_back(name);
  const bool fits = unlike.empty() && (partial || (missing.empty() && unknown.empty()));
  const bool none = !own.empty() && missing.size() == own.size();
  if (!fits || none) {
    std::string text = "the weights do not fit the model";
    report(text, "tensors of another shape", unlike);
    if (!partial || none) report(text, "tensors of the model are missing", missing);
    if (!partial) report(text, "tensors are unknown to the model", unknown);
    throw CheckpointError(text);
  }
  const at::NoGradGuard no_grad;
  for (auto& [name, tensor] : own)
    if (const auto found = weights.find(name); found != weights.end()) tensor.copy_(found->second);
}

}  // namespace marey
