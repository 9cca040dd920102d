#include "train/resume.hpp"
#include "train/session.hpp"
#include "train/shape_check.hpp"
#include "train/signals.hpp"
#include "train/training_loop.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/train/run_folder.hpp>
#include <marey/train/runner.hpp>

#include <c10/util/Exception.h>
#include <fmt/format.h>

namespace marey {
namespace {

std::string place(const Run& run) {
  return fmt::format("step {} of epoch {}", run.progress.step + 1, run.epoch + 1);
}

// What LibTorch throws holds a stack of addresses that helps nobody here.
void run_loop(TrainingLoop& loop, const Run& run) {
  try {
    loop.run();
  } catch (const c10::OutOfMemoryError& e) {
    throw Error(
        fmt::format("{}: {} is out of memory: {}\n  lower loader.batch_size and make up for it with "
                    "GradientAccumulation, or use mixed precision",
                    place(run), run.device.str(), e.what_without_backtrace()));
  } catch (const c10::Error& e) {
    throw Error(fmt::format("{}: {}", place(run), e.what_without_backtrace()));
  }
}

}  // namespace

void check_run(const LoadedRecipe& recipe) {
  const Session session(recipe, {});
  const Model& model = *session.run.model;
  check_shapes(*session.train_data, true, model, "data.train");
  if (session.val_data) check_shapes(*session.val_data, false, model, "data.val");
}

RunResult run_training(const LoadedRecipe& recipe, const RunOptions& options) {
  Session session(recipe, std::filesystem::absolute(options.folder).lexically_normal(),
                  /*initialise=*/!options.resume);
  Run& run = session.run;
  const RunFolder folder(run.folder, options.resume.has_value());
  folder.describe(recipe.resolved, run.device.str());
  if (options.resume) {
    resume(session, *options.resume, options.allow_recipe_change);
    log::info(fmt::format("goes on from {} (step {}, epoch {}, batch {})", options.resume->string(),
                          run.progress.step, run.epoch + 1, session.position));
  }

  const SignalWatch signals;
  const TrainingLoop* running = nullptr;
  TrainingLoop loop(session, [&] {
    return signals.received() ||
           (options.stop_after_steps >= 0 && running->steps_done() >= options.stop_after_steps);
  });
  running = &loop;
  try {
    run_loop(loop, run);
  } catch (const std::exception& e) {
    session.hooks.run_failed(run, e);
    throw;
  }

  RunResult result;
  if (run.interrupted) {
    result.code = signals.exit_code();
    log::info(fmt::format("interrupted after step {}; a checkpoint is saved, --resume goes on from there",
                          run.progress.step));
  }
  result.metrics = run.metrics;
  result.best = session.best;
  result.steps = run.progress.step;
  result.epochs = run.epoch;
  result.stop_reason = run.stop_reason;
  return result;
}

}  // namespace marey
