#include "app/component_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace marey::app {
namespace {

std::string range_of(const Field& f) {
  const Spec& s = f.spec;
  const bool low = std::isfinite(s.min), high = std::isfinite(s.max);
  std::string out = low && high ? fmt::format("{} to {}", s.min, s.max)
                    : low       ? fmt::format("at least {}", s.min)
                    : high      ? fmt::format("at most {}", s.max)
                                : "";
  if (!s.unit.empty()) out += (out.empty() ? "in " : " ") + s.unit;
  return out;
}

void add_rows(const std::vector<Field>& fields, const std::string& prefix, std::vector<ParameterRow>& out) {
  for (const Field& f : fields) {
    if (f.type.kind == TypeInfo::Kind::table) {
      add_rows(f.type.fields, prefix + f.name + ".", out);
      continue;
    }
    std::string fallback = f.spec.required        ? "required"
                           : f.fallback.is_null() ? "none"
                                                  : to_inline_toml(f.fallback);
    out.push_back({prefix + f.name, f.type.name(), std::move(fallback), range_of(f), f.spec.doc});
  }
}

std::string capitalised(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string plural(const std::string& kind) { return kind == "loss" ? "losses" : kind + "s"; }

std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.replace(i, 1, "\\|");
  return text;
}

std::string markdown_table(const std::vector<ParameterRow>& rows) {
  if (rows.empty()) return "No parameters.\n\n";
  std::string out = "| parameter | type | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const ParameterRow& r : rows)
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", r.name, cell(r.type),
                       r.fallback == "required" ? "**required**" : "`" + cell(r.fallback) + "`", r.range,
                       cell(r.doc));
  return out + "\n";
}

}  // namespace

std::vector<ParameterRow> parameter_rows(const std::vector<Field>& fields) {
  std::vector<ParameterRow> out;
  add_rows(fields, {}, out);
  return out;
}

std::string describe_text(const Component& c) {
  std::string out = fmt::format("{}: {}\n  {}\n", c.name, c.kind, c.summary);
  if (!c.plugin.empty()) out += fmt::format("  from plugin {} {}\n", c.plugin, c.plugin_version);
  const auto rows = parameter_rows(c.fields);
  if (rows.empty()) return out + "\nNo parameters.\n";
  std::size_t name = 0, type = 0;
  for (const auto& r : rows) {
    name = std::max(name, r.name.size());
    type = std::max(type, std::min<std::size_t>(r.type.size(), 24));
  }
  out += "\nParameters\n";
  for (const auto& r : rows) {
    out += fmt::format("  {:<{}}  {:<{}}  {}\n", r.name, name, r.type, type,
                       r.fallback == "required" ? "required" : "= " + r.fallback);
    out += fmt::format("  {:<{}}  {}{}\n", "", name, r.doc, r.range.empty() ? "" : " (" + r.range + ")");
  }
  return out;
}

std::string describe_markdown(const Registry& registry, const std::vector<Field>& recipe) {
  std::string out =
      "# Components\n\nWritten by `marey describe --markdown`; a test holds it current. Do not edit.\n\n"
      "## The top level of a recipe\n\n" +
      markdown_table(parameter_rows(recipe));
  std::string kind;
  for (const Component* c : registry.all()) {
    if (c->kind != kind) {
      kind = c->kind;
      out += fmt::format("## {}\n\n", capitalised(plural(kind)));
    }
    out += fmt::format("### {}\n\n{}. From plugin `{}`.\n\n", c->name, capitalised(c->summary), c->plugin);
    out += markdown_table(parameter_rows(c->fields));
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

nlohmann::ordered_json describe_json(const Component& c, bool with_parameters) {
  nlohmann::ordered_json out = {{"kind", c.kind},
                                {"name", c.name},
                                {"summary", c.summary},
                                {"plugin", c.plugin},
                                {"plugin_version", c.plugin_version},
                                {"plugin_file", c.plugin_file}};
  if (!with_parameters) return out;
  out["parameters"] = nlohmann::ordered_json::array();
  for (const auto& r : parameter_rows(c.fields))
    out["parameters"].push_back(
        {{"name", r.name}, {"type", r.type}, {"default", r.fallback}, {"range", r.range}, {"doc", r.doc}});
  return out;
}

}  // namespace marey::app
