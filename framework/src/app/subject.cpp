#include "app/subject.hpp"

#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/train/checkpoint.hpp>
#include <marey/train/runner.hpp>
#include <marey/train/weight_names.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace marey::app {
namespace {

namespace fs = std::filesystem;

bool is_checkpoint(const fs::path& folder) { return fs::exists(folder / "manifest.json"); }

// What the Checkpoint hook calls best; empty when the run keeps no such list.
fs::path best_checkpoint(const fs::path& checkpoints) {
  const fs::path list = checkpoints / "best.json";
  if (!fs::exists(list)) return {};
  const auto best = nlohmann::json::parse(read_file(list), nullptr, /*allow_exceptions=*/false);
  if (!best.is_object() || !best.contains("best") || !best["best"].is_array())
    throw CheckpointError(
        fmt::format("{}: not the list that a run writes; name a checkpoint with --weights", list.string()));
  for (const auto& entry : best["best"]) {
    const fs::path folder = checkpoints / entry.value("checkpoint", "");
    if (is_checkpoint(folder)) return folder;
  }
  return {};
}

// best or last of a run.
fs::path weights_of_run(const fs::path& run, const std::string& which) {
  const fs::path checkpoints = run / "checkpoints";
  if (which != "last") {
    const fs::path best = best_checkpoint(checkpoints);
    if (!best.empty()) return best;
    if (which == "best")
      throw UsageError(fmt::format(
          "{} keeps no best checkpoint; give hooks.checkpoint a `monitor` and `keep_best`, or use "
          "--weights last",
          run.string()));
  }
  std::vector<std::string> skipped;
  const auto newest = newest_valid_checkpoint(checkpoints, &skipped);
  for (const std::string& s : skipped) log::warning(s);
  if (!newest)
    throw UsageError(
        fmt::format("{} holds no checkpoint; train first, or give --weights PATH", run.string()));
  return *newest;
}

}  // namespace

void add_subject_options(Arguments& a) {
  a.add_text("weights",
             "best, last, a checkpoint folder or a weight file (default: best where there is one)");
  a.add_text("device", "auto, cpu, cuda or cuda:N, instead of the recipe's");
}

Subject find_subject(const Host& host, const Arguments& a, const std::vector<std::string>& overrides) {
  const fs::path given = a.positionals()[0];
  std::string wanted = a.text("weights");
  fs::path recipe = given, run;
  if (fs::is_directory(given)) {
    const fs::path folder = fs::canonical(given);
    run = is_checkpoint(folder) ? folder.parent_path().parent_path() : folder;
    recipe = run / "recipe.toml";
    if (!fs::exists(recipe))
      throw UsageError(
          fmt::format("{} is neither a recipe nor a run folder (it has no recipe.toml)", given.string()));
    if (is_checkpoint(folder) && wanted.empty()) wanted = folder.string();
  }
  auto changes = overrides;
  if (a.given("device")) changes.push_back("train.device=" + a.text("device"));
  Subject out{load_experiment(host.registry, recipe, changes), {}};
  if (!wanted.empty() && wanted != "best" && wanted != "last") {
    if (!fs::exists(wanted))
      throw UsageError(fmt::format("--weights {}: there is no such file or folder", wanted));
    out.weights =
        fs::is_directory(wanted) && !is_checkpoint(wanted) ? weights_of_run(wanted, "") : fs::path(wanted);
    return out;
  }
  if (run.empty()) {
    run = fs::path("runs") / out.recipe.experiment.name / "latest";
    if (!fs::exists(run))
      throw UsageError(fmt::format("there is no run of {} here ({}); train it first, or give --weights PATH",
                                   given.string(), run.string()));
  }
  out.weights = weights_of_run(run, wanted);
  return out;
}

LoadedModel load_model(const Subject& subject) try {
  LoadedModel out;
  out.device = choose_device(subject.recipe.experiment.train.device);
  out.model = subject.recipe.experiment.model.make();
  if (fs::is_directory(subject.weights)) {
    const Checkpoint checkpoint = read_checkpoint(subject.weights);
    load_weights(*out.model, checkpoint.model);
    out.class_names = checkpoint.state.value("class_names", std::vector<std::string>{});
  } else {
    const NamedWeights file = read_named_weights(subject.weights);
    for (const std::string& setting : unlike_settings(file.project, subject.recipe.resolved))
      log::warning(setting);
    load_weights(*out.model, file.weights);
  }
  out.model->to(out.device);
  out.model->eval();
  return out;
} catch (const CheckpointError& e) {
  const std::string file = subject.weights.string(), message = e.what();
  throw CheckpointError(message.starts_with(file) ? message : fmt::format("{}: {}", file, message));
}

}  // namespace marey::app
