// Everything that a run needs, built from its recipe and fitted together.
#pragma once
#include "train/evaluation.hpp"
#include "train/hook_list.hpp"

#include <marey/data/loader.hpp>
#include <marey/train/experiment.hpp>
#include <marey/train/run.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace marey {

struct Session {
  // Throws UsageError or DataError with what does not fit, before anything runs. Touches no file of the run.
  // `initialise`: the weights of the recipe's [init] are loaded; a resumed run has its own.
  Session(const LoadedRecipe&, std::filesystem::path folder, bool initialise = true);
  Session(const Session&) = delete;

  bool evaluation_due() const;   // after the epoch under way
  void update_progress();        // the length of an epoch in steps, from Run::accumulate
  void set_learning_rate();      // of the step that comes next
  std::filesystem::path save();  // a checkpoint of this place; throws where gradients are pending

  const LoadedRecipe& recipe;
  const Experiment& experiment;
  std::shared_ptr<const Dataset> train_data, val_data;
  std::shared_ptr<Schedule> schedule;
  HookList hooks;
  Run run;
  std::unique_ptr<data::Loader> loader;
  std::unique_ptr<Evaluator> evaluator;
  std::map<std::string, double> best;  // of each metric key

  // Where the run is, beyond Run.
  bool at_boundary = true;     // no micro-step since the last optimizer step
  bool epoch_trained = false;  // the epoch's steps are done and epoch_end was told; its evaluation comes next
  bool saved_here = false;     // a checkpoint of this very place exists
  std::int64_t position = 0;   // batches of this epoch that are done
  // A resume: the generators of LibTorch, to be put in place once the hooks have begun.
  std::optional<nlohmann::json> generators;
};

}  // namespace marey
