#include "train/resume.hpp"

#include "train/numerics.hpp"
#include "train/recipe_binding.hpp"
#include "train/weights.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/train/runner.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/version.h>

#include <limits>

namespace marey {
namespace {

// What is no number was written as null.
std::map<std::string, double> numbers(const nlohmann::json& json) {
  std::map<std::string, double> out;
  for (const auto& [key, value] : json.items())
    out[key] = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
  return out;
}

void check_recipe(const Session& s, const nlohmann::json& state, const std::filesystem::path& checkpoint,
                  bool allow_change) {
  auto changed = differences(state.at("recipe"), binding_part(s.recipe.resolved, s.hooks.roles()));
  if (const auto saved = state.at("train_samples").get<std::size_t>(); saved != s.train_data->size())
    changed.push_back(
        fmt::format("samples of data.train: {} in the checkpoint, {} now", saved, s.train_data->size()));
  if (changed.empty()) return;
  const std::string list = fmt::format("\n  {}", fmt::join(changed, "\n  "));
  if (!allow_change)
    throw UsageError(
        fmt::format("{}: the recipe has changed since this checkpoint was saved:{}\n"
                    "  go on with the old values, start a new run, or give --allow-recipe-change",
                    checkpoint.string(), list));
  log::warning(fmt::format("the run goes on with a changed recipe:{}", list));
}

void restore_place(Session& s, const nlohmann::json& state) {
  Run& run = s.run;
  run.progress.step = state.at("step").get<std::int64_t>();
  run.epoch = state.at("epoch").get<std::int64_t>();
  s.position = state.at("position").get<std::int64_t>();
  s.epoch_trained = state.at("epoch_trained").get<bool>();
  run.samples_seen = state.at("samples_seen").get<std::int64_t>();
  run.metrics = numbers(state.at("metrics"));
  s.best = numbers(state.at("best"));
  s.generators = state.at("generators");
  if (run.progress.step < 0 || run.epoch < 0 || s.position < 0)
    throw CheckpointError("step, epoch or position is negative");
  if (s.position > run.micro_per_epoch)
    throw CheckpointError(fmt::format(
        "it was saved at batch {} of an epoch that now has {}: the data set or loader.batch_size has "
        "changed; start a new run from these weights instead",
        s.position, run.micro_per_epoch));
}

}  // namespace

Checkpoint make_checkpoint(Session& s) {
  const Run& run = s.run;
  const bool next_epoch = run.end_of_epoch;
  const auto recipe = binding_part(s.recipe.resolved, s.hooks.roles());
  Checkpoint out;
  out.model = model_weights(*run.model);
  out.optimizer = run.optimizer->save();
  out.hooks = s.hooks.save();
  out.state = {{"step", run.progress.step},
               {"epoch", next_epoch ? run.epoch + 1 : run.epoch},
               {"position", next_epoch ? 0 : s.position},
               {"epoch_trained", !next_epoch && s.epoch_trained},
               {"samples_seen", run.samples_seen},
               {"metrics", run.metrics},
               {"best", s.best},
               {"generators", save_generators(run.device)},
               {"name", run.name},
               {"recipe", recipe},
               {"recipe_hash", xxh3(recipe.dump())},
               {"train_samples", s.train_data->size()},
               {"steps_per_epoch", run.progress.steps_per_epoch},
               {"num_classes", run.model->num_classes()},
               {"class_names", run.class_names},
               {"versions", {{"marey", MAREY_VERSION}, {"torch", TORCH_VERSION}}}};
  return out;
}

void resume(Session& s, const std::filesystem::path& checkpoint, bool allow_recipe_change) {
  const Checkpoint saved = read_checkpoint(checkpoint);
  try {
    check_recipe(s, saved.state, checkpoint, allow_recipe_change);
    restore_place(s, saved.state);
    load_weights(*s.run.model, saved.model);
    s.run.optimizer->load(saved.optimizer);
    s.hooks.load(saved.hooks);
  } catch (const CheckpointError& e) {
    throw CheckpointError(fmt::format("{}: cannot be resumed: {}", checkpoint.string(), e.what()));
  } catch (const nlohmann::json::exception& e) {
    throw CheckpointError(
        fmt::format("{}: cannot be resumed: its state.json lacks something or holds another type ({})",
                    checkpoint.string(), e.what()));
  }
}

}  // namespace marey
