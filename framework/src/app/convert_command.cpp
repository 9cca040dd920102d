// marey convert IN --out OUT.safetensors [--from PROJECT] [--recipe RECIPE] [--report] [--json]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/log.hpp>
#include <marey/train/experiment.hpp>
#include <marey/train/safetensors.hpp>
#include <marey/train/weight_fit.hpp>
#include <marey/train/weight_names.hpp>

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace marey::app {
namespace {

namespace fs = std::filesystem;

void options(Arguments& a) {
  a.take_positionals(1, 1);
  a.add_text("out", "the .safetensors file to write, also -o; required");
  a.add_text("from",
             "whose names the file has: auto, marey, mmaction2, pyslowfast, pytorchvideo, timesformer or hf",
             "auto");
  a.add_text("recipe", "the recipe whose model the weights must fit, name by name and shape by shape");
  a.add_switch("report", "print every tensor with both of its names, and everything that does not fit");
  a.add_switch("json", "print one JSON document");
}

struct Check {  // against a recipe
  WeightFit fit;
  std::vector<std::string> settings;
};

Check check(const Host& host, const std::string& recipe_file, const NamedWeights& weights) {
  const LoadedRecipe recipe = load_experiment(host.registry, recipe_file);
  return {.fit = compare_weights(*recipe.experiment.model.make(), weights.weights),
          .settings = unlike_settings(weights.project, recipe.resolved)};
}

std::string place(const NamedWeights& w) {
  return w.found_under.empty() ? w.container : fmt::format("{}, under '{}'", w.container, w.found_under);
}

std::int64_t elements(const TensorMap& weights) {
  std::int64_t out = 0;
  for (const auto& [name, tensor] : weights) out += tensor.numel();
  return out;
}

std::string line(const std::string& name, const NamedWeights& w) {
  const at::Tensor& t = w.weights.at(name);
  const std::string& theirs = w.names.at(name);
  return fmt::format("  {}{}  {} [{}]\n", theirs, theirs == name ? "" : " → " + name,
                     c10::toString(t.scalar_type()), fmt::join(t.sizes(), ", "));
}

std::string text(const fs::path& in, const fs::path& out, const NamedWeights& w,
                 const std::optional<Check>& checked, bool all) {
  std::string s;
  if (all)
    for (const auto& [name, tensor] : w.weights) s += line(name, w);
  if (all && !w.rest.empty()) s += fmt::format("also in the file: {}\n", w.rest.dump(2));
  s += fmt::format("{} ({}): {} tensors of {}, {} elements\n", in.string(), place(w), w.weights.size(),
                   w.project, elements(w.weights));
  if (checked && checked->fit.complete())
    s +=
        fmt::format("all {} tensors of the recipe's model have their weights\n", checked->fit.fitting.size());
  if (!checked || checked->fit.complete()) s += fmt::format("written: {}\n", out.string());
  return s;
}

nlohmann::ordered_json document(const fs::path& in, const fs::path& out, const NamedWeights& w,
                                const std::optional<Check>& checked) {
  auto tensors = nlohmann::ordered_json::array();
  for (const auto& [name, t] : w.weights)
    tensors.push_back({{"name", name},
                       {"name_in_file", w.names.at(name)},
                       {"type", c10::toString(t.scalar_type())},
                       {"shape", t.sizes().vec()}});
  nlohmann::ordered_json json = {{"in", in.string()},
                                 {"container", w.container},
                                 {"found_under", w.found_under},
                                 {"from", w.project},
                                 {"elements", elements(w.weights)},
                                 {"rest", w.rest},
                                 {"tensors", std::move(tensors)}};
  if (!checked || checked->fit.complete()) json["out"] = out.string();
  if (!checked) return json;
  auto unlike = nlohmann::ordered_json::array();
  for (const auto& [name, model, file] : checked->fit.unlike)
    unlike.push_back({{"name", name}, {"model", model}, {"file", file}});
  json["fit"] = {{"fitting", checked->fit.fitting.size()},
                 {"missing", checked->fit.missing},
                 {"unused", checked->fit.unused},
                 {"unlike", std::move(unlike)},
                 {"settings", checked->settings}};
  return json;
}

fs::path checked_output(const Arguments& a, const fs::path& in) {
  if (!a.given("out"))
    throw UsageError("--out is missing; expected the file to write, for example --out weights.safetensors");
  fs::path out = a.text("out");
  if (out.extension() != ".safetensors")
    throw UsageError(fmt::format("--out {}: expected a name that ends in .safetensors", out.string()));
  std::error_code ignored;
  if (fs::equivalent(in, out, ignored))
    throw UsageError(fmt::format("--out {}: is the file to convert; choose another name", out.string()));
  return out;
}

ExitCode run(const Arguments& a) {
  const fs::path in = a.positionals()[0], out = checked_output(a, in);
  const NamedWeights weights = read_named_weights(in, a.text("from"));
  if (weights.project.empty())
    throw CheckpointError(fmt::format(
        "{}: the names of its {} tensors, '{}' and so on, are of no project known here ({}); --from says "
        "which one it is",
        in.string(), weights.weights.size(), weights.names.begin()->second,
        fmt::join(weight_projects(), ", ")));
  std::optional<Check> checked;
  if (a.given("recipe")) checked = check(Host(a), a.text("recipe"), weights);
  const bool fits = !checked || checked->fit.complete();
  if (fits) write_safetensors(out, weights.weights, {{"format", "pt"}, {"converted_from", weights.project}});
  if (a.on("json"))
    print(document(in, out, weights, checked).dump(2));
  else if (fits || a.on("report"))
    print(text(in, out, weights, checked, a.on("report")));
  if (checked)
    for (const std::string& setting : checked->settings) log::warning(setting);
  if (fits) return ExitCode::ok;
  throw CheckpointError(fmt::format("{}: the weights do not fit the model of {}; nothing was written{}",
                                    in.string(), a.text("recipe"),
                                    differences_text(checked->fit, a.on("report"))));
}

}  // namespace

extern const Command convert_command{"convert", options, run};

}  // namespace marey::app
