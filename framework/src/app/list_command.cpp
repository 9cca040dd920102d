// marey list [KIND] [--json]
#include "app/commands.hpp"
#include "app/component_text.hpp"
#include "app/host.hpp"

#include <marey/core/diagnostics.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(0, 1);
  a.add_switch("json", "print one JSON document");
}

nlohmann::ordered_json plugin_json(const PluginStatus& s) {
  return {{"file", s.file.string()}, {"name", s.name},      {"version", s.version}, {"abi", s.abi},
          {"loaded", s.loaded},      {"problem", s.problem}};
}

ExitCode run(const Arguments& a) {
  const Host host(a);
  const std::string kind = a.positionals().empty() ? "" : a.positionals()[0];
  const auto components = host.registry.all(kind);
  if (!kind.empty() && components.empty()) {
    std::vector<std::string> kinds;
    for (const Component* c : host.registry.all())
      if (kinds.empty() || kinds.back() != c->kind) kinds.push_back(c->kind);
    throw UsageError(fmt::format("no component is of kind '{}'{}{}", kind, did_you_mean(kind, kinds),
                                 host.registry.unavailable));
  }
  if (a.on("json")) {
    nlohmann::ordered_json out = {{"components", nlohmann::ordered_json::array()},
                                  {"plugins", nlohmann::ordered_json::array()}};
    for (const Component* c : components) out["components"].push_back(describe_json(*c, false));
    for (const PluginStatus& s : host.loader.statuses()) out["plugins"].push_back(plugin_json(s));
    print(out.dump(2));
    return ExitCode::ok;
  }
  std::size_t name_width = 0, plugin_width = 0;
  for (const Component* c : components) {
    name_width = std::max(name_width, c->name.size());
    plugin_width = std::max(plugin_width, c->plugin.size());
  }
  std::string out, current;
  for (const Component* c : components) {
    if (c->kind != current) out += fmt::format("{}{}\n", out.empty() ? "" : "\n", current = c->kind);
    out += fmt::format("  {:<{}}  {:<{}}  {}\n", c->name, name_width, c->plugin, plugin_width, c->summary);
  }
  print(out);
  return ExitCode::ok;
}

}  // namespace

extern const Command list_command{"list", options, run};

}  // namespace marey::app
