#include "train/session.hpp"

#include "train/initial_weights.hpp"
#include "train/numerics.hpp"
#include "train/resume.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/core/recipe.hpp>
#include <marey/train/runner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace marey {
namespace {

void require_parts(const Experiment& e) {
  if (!e.data.train) throw UsageError("the recipe has no [data.train]: there is nothing to learn from");
  if (!e.optimizer) throw UsageError("the recipe has no [optimizer]: name one, such as type = \"SGD\"");
}

// The key that sets how many classes the model knows, with its place in the recipe.
std::string class_count_key(const LoadedRecipe& recipe) {
  const auto is_key = [](const std::string& path) {
    return path.starts_with("model.") && path.ends_with(".num_classes");
  };
  for (const Leaf& leaf : leaves(recipe.resolved)) {
    if (!is_key(leaf.path)) continue;
    for (const Leaf& written : leaves(recipe.merged))
      if (written.path == leaf.path && written.value->origin.source)
        return fmt::format("{} ({})", leaf.path, to_string(written.value->origin));
    return leaf.path;
  }
  return "the model's number of classes";
}

void check_classes(const LoadedRecipe& recipe, const Model& model, const Dataset& data,
                   std::string_view which) {
  if (data.num_classes() > 0 && data.num_classes() != model.num_classes())
    throw UsageError(fmt::format("{} has {} classes, the model's head predicts {}; set {} to {}", which,
                                 data.num_classes(), model.num_classes(), class_count_key(recipe),
                                 data.num_classes()));
}

}  // namespace

Session::Session(const LoadedRecipe& loaded, std::filesystem::path folder, bool initialise)
    : recipe(loaded), experiment(loaded.experiment) {
  require_parts(experiment);
  run.name = experiment.name;
  run.folder = std::move(folder);
  run.recipe = recipe.resolved;
  run.seed = experiment.seed;
  run.device = choose_device(experiment.train.device);
  set_numerics(experiment.train, experiment.seed);

  train_data = experiment.data.train.make();
  if (experiment.data.val && experiment.train.eval_interval > 0) val_data = experiment.data.val.make();
  run.class_names = train_data->class_names();
  run.model = experiment.model.make();
  check_classes(recipe, *run.model, *train_data, "data.train");
  if (val_data) check_classes(recipe, *run.model, *val_data, "data.val");
  if (initialise) load_initial_weights(*run.model, recipe);
  run.model->to(run.device);
  run.optimizer = experiment.optimizer.make();
  if (experiment.schedule) schedule = experiment.schedule.make();
  hooks = HookList(experiment.hooks);

  const auto bad_samples = run.folder.empty() ? run.folder : run.folder / "bad_samples.jsonl";
  auto options = loader_options(experiment, true);
  options.bad_samples_log = bad_samples;
  loader = std::make_unique<data::Loader>(train_data, std::move(options));
  if (val_data && experiment.metrics.empty())
    log::warning("data.val is given, but no [[metrics]]: nothing is evaluated");
  if (val_data && !experiment.metrics.empty()) {
    evaluator = std::make_unique<Evaluator>(val_data, experiment, run.device, "val", bad_samples);
    run.metric_keys = evaluator->keys();
    run.evaluates = true;
  }
  run.micro_per_epoch = loader->batches_per_epoch();
  run.progress.max_epochs = experiment.train.max_epochs;
  run.save_checkpoint = [this] { return save(); };
  hooks.at(&Hook::prepare, run);
  run.optimizer->attach(*run.model);
  update_progress();

  train_data->check_files();
  if (val_data) val_data->check_files();
}

bool Session::evaluation_due() const {
  const std::int64_t done = run.epoch + 1;
  return evaluator && (done % experiment.train.eval_interval == 0 || done >= experiment.train.max_epochs);
}

void Session::update_progress() {
  const std::int64_t window = std::max<std::int64_t>(run.accumulate, 1);
  run.progress.steps_per_epoch = std::max<std::int64_t>((run.micro_per_epoch + window - 1) / window, 1);
}

void Session::set_learning_rate() {
  const double factor = schedule ? schedule->factor(run.progress) : 1.0;
  for (ParamGroup& group : run.optimizer->groups()) group.lr = group.base_lr * factor;
}

std::filesystem::path Session::save() {
  if (!at_boundary)
    throw Error(
        "a checkpoint can be saved between optimizer steps only: in step_end, checkpoint_due, or when the "
        "run "
        "begins or ends");
  auto out = write_checkpoint(run.folder / "checkpoints", make_checkpoint(*this));
  saved_here = true;
  return out;
}

}  // namespace marey
