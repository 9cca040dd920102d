#include "train/initial_weights.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/train/runner.hpp>
#include <marey/train/weight_fit.hpp>
#include <marey/train/weight_names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace marey {
namespace {

constexpr std::string_view head_prefix = "head.";

bool of_head(const std::string& name) { return name.starts_with(head_prefix); }

bool differs_in_head_only(const WeightFit& fit) {
  return !fit.unlike.empty() && fit.missing.empty() && fit.unused.empty() &&
         std::ranges::all_of(fit.unlike, of_head, &WeightFit::Unlike::name);
}

}  // namespace

void load_initial_weights(Model& model, const LoadedRecipe& recipe) {
  const Experiment::Init& init = recipe.experiment.init;
  if (init.weights.empty()) return;
  NamedWeights file = read_named_weights(init.weights.path, init.from);
  const bool fresh_head = init.head == Experiment::InitialHead::reinitialise;
  if (fresh_head) std::erase_if(file.weights, [](const auto& entry) { return of_head(entry.first); });
  WeightFit fit = compare_weights(model, file.weights);
  const auto left = [&](const std::string& name) { return fresh_head && of_head(name); };
  const auto kept = static_cast<std::size_t>(std::ranges::count_if(fit.missing, left));
  if (fresh_head && kept == 0)
    throw UsageError("init.head is \"reinitialise\", but no tensor of the model begins with 'head.'");
  std::erase_if(fit.missing, left);
  if (init.partial && !fit.fitting.empty()) fit.missing.clear(), fit.unused.clear();
  if (!fit.complete() || fit.fitting.empty()) {
    std::string text =
        fmt::format("{}: the weights do not fit the model{}", init.weights.path, differences_text(fit));
    if (differs_in_head_only(fit))
      text += "\n  for another set of classes, set init.head = \"reinitialise\"";
    else if (file.project.empty())
      text += "\n  the names are of no project known here; init.from says which one";
    throw CheckpointError(text);
  }
  load_weights(model, file.weights, /*partial=*/true);
  for (const std::string& setting : unlike_settings(file.project, recipe.resolved))
    log::warning("init: " + setting);
  log::info(fmt::format("initial weights from {}{}: {} tensors{}", init.weights.path,
                        file.project.empty() ? "" : fmt::format(" (names of {})", file.project),
                        fit.fitting.size(),
                        kept > 0 ? fmt::format("; the head's {} are initialised anew", kept) : ""));
}

}  // namespace marey
