// marey config RECIPE [key=value …] [--origin] [--resolved] [--json]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/core/recipe.hpp>
#include <marey/train/experiment.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(1);
  a.add_switch("origin", "one value a line, with the place that set it");
  a.add_switch("resolved", "with every parameter, defaults too");
  a.add_switch("json", "print one JSON document");
}

std::string place(const Value& v) { return v.origin.source ? to_string(v.origin) : "default"; }

std::string with_origins(const Value& recipe) {
  std::size_t width = 0;
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Leaf& leaf : leaves(recipe)) {
    lines.emplace_back(fmt::format("{} = {}", leaf.path, to_inline_toml(*leaf.value)), place(*leaf.value));
    width = std::max(width, std::min<std::size_t>(lines.back().first.size(), 60));
  }
  std::string out;
  for (const auto& [left, right] : lines) out += fmt::format("{:<{}}  # {}\n", left, width, right);
  return out;
}

nlohmann::ordered_json origins_json(const Value& recipe) {
  auto out = nlohmann::ordered_json::object();
  for (const Leaf& leaf : leaves(recipe))
    out[leaf.path] = {{"value", nlohmann::ordered_json::parse(to_json(*leaf.value))},
                      {"origin", place(*leaf.value)}};
  return out;
}

void show(const Arguments& a, const Value& recipe) {
  if (a.on("json"))
    print(a.on("origin") ? origins_json(recipe).dump(2) : to_json(recipe, 2));
  else
    print(a.on("origin") ? with_origins(recipe) : to_toml(recipe));
}

ExitCode run(const Arguments& a) {
  const std::filesystem::path file = a.positionals()[0];
  const std::vector<std::string> overrides(a.positionals().begin() + 1, a.positionals().end());
  const Host host(a);
  if (a.on("resolved")) {
    show(a, load_experiment(host.registry, file, overrides).resolved);
    return ExitCode::ok;
  }
  show(a, load_recipe(file, overrides));            // shown even when something in it is wrong
  load_experiment(host.registry, file, overrides);  // which is then said
  return ExitCode::ok;
}

}  // namespace

extern const Command config_command{"config", options, run};

}  // namespace marey::app
