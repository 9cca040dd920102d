// marey test RECIPE|RUN [key=value …]
#include "app/commands.hpp"
#include "app/host.hpp"
#include "app/subject.hpp"

#include <marey/core/log.hpp>
#include <marey/train/runner.hpp>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(1);
  add_subject_options(a);
  a.add_text("split", "train, val or test (default: test where the recipe has one, else val)");
  a.add_switch("json", "print one JSON document");
}

const Part<Dataset>& choose_split(const Experiment::Data& data, const std::string& name) {
  const bool known = name.empty() || name == "train" || name == "val" || name == "test";
  if (!known) throw UsageError(fmt::format("--split {}: expected train, val or test", name));
  const Part<Dataset>& part = name == "train"               ? data.train
                              : name == "val"               ? data.val
                              : name == "test" || data.test ? data.test
                                                            : data.val;
  if (!part)
    throw UsageError(fmt::format("the recipe has no [data.{}]", name.empty() ? "test] or [data.val" : name));
  return part;
}

ExitCode run(const Arguments& a) {
  const Host host(a);
  const Subject subject = find_subject(host, a, {a.positionals().begin() + 1, a.positionals().end()});
  const Experiment& experiment = subject.recipe.experiment;
  if (experiment.train.threads > 0) at::set_num_threads(experiment.train.threads);
  if (experiment.metrics.empty())
    throw UsageError("the recipe has no [[metrics]]; add for example type = \"TopK\"");
  const auto dataset = choose_split(experiment.data, a.text("split")).make();
  LoadedModel loaded = load_model(subject);
  log::info(fmt::format("evaluating {} on {} samples", subject.weights.string(), dataset->size()));
  const auto results = run_evaluation(*loaded.model, *dataset, experiment, loaded.device, "");
  if (a.on("json")) {
    nlohmann::ordered_json out = {{"weights", subject.weights.string()}};
    for (const auto& [key, value] : results) out[key] = value;
    print(out.dump(2));
  } else {
    std::string out;
    for (const auto& [key, value] : results) out += fmt::format("{} = {:.6g}\n", key, value);
    print(out);
  }
  return ExitCode::ok;
}

}  // namespace

extern const Command test_command{"test", options, run};

}  // namespace marey::app
