// Carries out a run: the training step of docs/architecture.md, evaluation, resume.
#pragma once
#include <marey/core/error.hpp>
#include <marey/train/checkpoint.hpp>
#include <marey/train/experiment.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace marey {

struct RunOptions {
  std::filesystem::path folder;                 // the run folder; must not be in use
  std::optional<std::filesystem::path> resume;  // a checkpoint folder
  bool allow_recipe_change = false;
  std::int64_t stop_after_steps = -1;  // for tests of resume: behaves like SIGINT after this many steps
};

struct RunResult {
  ExitCode code = ExitCode::ok;           // ok, interrupted or terminated
  std::map<std::string, double> metrics;  // of the last evaluation
  std::map<std::string, double> best;     // best of each metric key
  std::int64_t steps = 0, epochs = 0;
  std::string stop_reason;
};

// Trains; the first SIGINT or SIGTERM finishes the step, saves and ends.
RunResult run_training(const LoadedRecipe&, const RunOptions&);

// Builds everything that a run of the recipe would need, and throws what run_training() would throw before it
// begins: classes that do not fit, files that are missing, a monitor of a metric that nobody computes.
void check_run(const LoadedRecipe&);

// Evaluates weights on a data set of the recipe; returns "top1", …, "count", "views".
std::map<std::string, double> run_evaluation(Model&, const Dataset&, const Experiment&, c10::Device,
                                             std::string_view prefix);

c10::Device choose_device(const std::string& wanted);  // UsageError says why a device cannot be had
// Copies weights into a model; names and shapes must match unless `partial`. Throws CheckpointError with a
// report.
void load_weights(Model&, const TensorMap&, bool partial = false);

}  // namespace marey
