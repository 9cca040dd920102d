// marey describe [TYPE] [--json] [--markdown]
#include "app/commands.hpp"
#include "app/component_text.hpp"
#include "app/host.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/train/experiment.hpp>

#include <fmt/format.h>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(0, 1);
  a.add_switch("json", "print one JSON document");
  a.add_switch("markdown", "print everything as docs/components.md");
}

// "SlowFast", or "backbone:SlowFast" where several kinds have one of that name.
std::vector<const Component*> named(const Registry& registry, std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view kind = colon == text.npos ? std::string_view{} : text.substr(0, colon);
  const std::string_view name = colon == text.npos ? text : text.substr(colon + 1);
  std::vector<const Component*> out;
  std::vector<std::string> known;
  for (const Component* c : registry.all(kind)) {
    known.push_back(c->name);
    if (c->name == name) out.push_back(c);
  }
  if (!out.empty()) return out;
  throw UsageError(fmt::format("no component is called '{}'{}\n`marey list` shows all{}", text,
                               did_you_mean(name, known), registry.unavailable));
}

ExitCode run(const Arguments& a) {
  const Host host(a);
  if (a.on("markdown")) {
    print(describe_markdown(host.registry, Experiment::schema().fields));
    return ExitCode::ok;
  }
  const auto found = a.positionals().empty() ? host.registry.all() : named(host.registry, a.positionals()[0]);
  if (a.on("json")) {
    auto out = nlohmann::ordered_json::array();
    for (const Component* c : found) out.push_back(describe_json(*c, true));
    print(out.dump(2));
    return ExitCode::ok;
  }
  std::string out;
  for (const Component* c : found) out += (out.empty() ? "" : "\n") + describe_text(*c);
  print(out);
  return ExitCode::ok;
}

}  // namespace

extern const Command describe_command{"describe", options, run};

}  // namespace marey::app
