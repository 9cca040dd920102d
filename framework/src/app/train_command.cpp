// marey train RECIPE [key=value …] [--run-folder FOLDER] [--resume [auto|PATH]]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/log.hpp>
#include <marey/train/run_folder.hpp>
#include <marey/train/runner.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace marey::app {
namespace {

namespace fs = std::filesystem;

void options(Arguments& a) {
  a.take_positionals(1);
  a.add_text("runs", "the folder that holds the runs of all recipes", "runs");
  a.add_text("run-folder", "the folder of this run (default: RUNS/<recipe>/<time>)");
  a.add_optional_text(
      "resume",
      "go on from the newest checkpoint: auto is the newest run of this recipe and starts a new one "
      "where there is none; else a run folder or a checkpoint",
      "auto");
  a.add_switch("allow-recipe-change", "resume although the recipe has changed");
  a.add_switch("json", "print the result as one JSON document");
}

RunOptions options_for(const Arguments& a, const std::string& name) {
  const fs::path runs = a.text("runs");
  RunOptions out{
      .folder = a.text("run-folder"), .resume = {}, .allow_recipe_change = a.on("allow-recipe-change")};
  if (a.given("resume")) {
    const bool own_folder = a.text("resume") == "auto" && a.given("run-folder");
    if (own_folder && !fs::exists(out.folder / "checkpoints")) return out;
    if (const auto point =
            find_resume_point(own_folder ? out.folder.string() : a.text("resume"), runs / name)) {
      out.resume = point->checkpoint;
      if (!a.given("run-folder")) out.folder = point->folder;
      log::info(fmt::format("resuming from {}", point->checkpoint.string()));
    } else {
      log::info(fmt::format("nothing to resume in {}; starting a new run", (runs / name).string()));
    }
  }
  if (out.folder.empty()) out.folder = new_run_folder(runs, name);
  return out;
}

ExitCode run(const Arguments& a) {
  const Host host(a);
  const LoadedRecipe recipe = load_experiment(host.registry, a.positionals()[0],
                                              {a.positionals().begin() + 1, a.positionals().end()});
  const RunOptions options = options_for(a, recipe.experiment.name);
  const RunResult result = run_training(recipe, options);
  log::info(fmt::format("{} after {} steps, {} epochs: {}",
                        result.code == ExitCode::ok ? "done" : "interrupted", result.steps, result.epochs,
                        options.folder.string()));
  for (const auto& [key, value] : result.metrics) log::info(fmt::format("{} = {:.6g}", key, value));
  if (a.on("json")) {
    const nlohmann::ordered_json out = {
        {"folder", options.folder.string()}, {"steps", result.steps},     {"epochs", result.epochs},
        {"stop_reason", result.stop_reason}, {"metrics", result.metrics}, {"best", result.best}};
    print(out.dump(2));
  }
  return result.code;
}

}  // namespace

extern const Command train_command{"train", options, run};

}  // namespace marey::app
