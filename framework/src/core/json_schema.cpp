#include <marey/core/json_schema.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace marey {
namespace {

using Json = nlohmann::ordered_json;

Json json_value(const Value& v) { return Json::parse(to_json(v)); }

void add_bounds(Json& out, const Spec& spec) {
  const auto number = [](double d) {
    return d == std::floor(d) && std::abs(d) < 1e15 ? Json(static_cast<std::int64_t>(d)) : Json(d);
  };
  if (std::isfinite(spec.min)) out["minimum"] = number(spec.min);
  if (std::isfinite(spec.max)) out["maximum"] = number(spec.max);
}

std::string description(const Spec& spec) {
  return spec.unit.empty() ? spec.doc : fmt::format("{} [{}]", spec.doc, spec.unit);
}

Json table_of(const std::vector<Field>& fields, bool component);

Json type_of(const TypeInfo& type, const Spec& spec) {
  using Kind = TypeInfo::Kind;
  Json out;
  switch (type.kind) {
    case Kind::boolean:
      return {{"type", "boolean"}};
    case Kind::integer:
      out = {{"type", "integer"}};
      add_bounds(out, spec);
      return out;
    case Kind::number:
      out = {{"type", "number"}};
      add_bounds(out, spec);
      return out;
    case Kind::string:
    case Kind::path:
      return {{"type", "string"}};
    case Kind::choice:
      return {{"type", "string"}, {"enum", type.choices}};
    case Kind::list:
      out = {{"type", "array"}, {"items", type_of(type.element.front(), spec)}};
      if (type.length) out["minItems"] = out["maxItems"] = type.length;
      return out;
    case Kind::map:  // `name = false` drops an inherited entry
      return {{"type", "object"},
              {"properties", {{"_delete_", {{"const", true}}}}},
              {"additionalProperties",
               {{"anyOf", Json::array({type_of(type.element.front(), spec), {{"const", false}}})}}}};
    case Kind::table:
      return table_of(type.fields, false);
    case Kind::component:
      return {{"$ref", "#/$defs/" + type.component_kind}};
  }
  return out;
}

Json table_of(const std::vector<Field>& fields, bool component) {
  Json properties = Json::object();
  if (component) properties["type"] = true;
  for (const Field& f : fields) {
    Json p = type_of(f.type, f.spec);
    if (!f.spec.doc.empty()) p["description"] = description(f.spec);
    if (!f.fallback.is_null() && f.type.kind != TypeInfo::Kind::table &&
        f.type.kind != TypeInfo::Kind::component)
      p["default"] = json_value(f.fallback);
    // A table that a base gives can be dropped.
    if (f.type.kind == TypeInfo::Kind::table || f.type.kind == TypeInfo::Kind::component)
      p = {{"anyOf", Json::array({std::move(p), {{"const", false}}})}};
    properties[f.name] = std::move(p);
  }
  properties["_delete_"] = {{"const", true},
                            {"description", "replaces the inherited table instead of merging with it"}};
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

// Chooses by "type". Without one (it is inherited) any key may stand there.
Json kind_of(const Registry& registry, const std::string& kind) {
  Json choices = Json::array(), types = Json::array();
  for (const Component* c : registry.all(kind)) {
    types.push_back(c->name);
    choices.push_back({{"if", {{"properties", {{"type", {{"const", c->name}}}}}, {"required", {"type"}}}},
                       {"then", {{"$ref", fmt::format("#/$defs/{}~1{}", kind, c->name)}}}});
  }
  Json out = {{"type", "object"}, {"properties", {{"type", {{"type", "string"}, {"enum", types}}}}}};
  if (!choices.empty()) out["allOf"] = std::move(choices);
  return out;
}

void collect_kinds(const std::vector<Field>& fields, std::set<std::string>& kinds);

void collect_kinds(const TypeInfo& type, std::set<std::string>& kinds) {
  if (type.kind == TypeInfo::Kind::component) kinds.insert(type.component_kind);
  for (const TypeInfo& e : type.element) collect_kinds(e, kinds);
  collect_kinds(type.fields, kinds);
}

void collect_kinds(const std::vector<Field>& fields, std::set<std::string>& kinds) {
  for (const Field& f : fields) collect_kinds(f.type, kinds);
}

}  // namespace

Json json_schema(const Registry& registry, const std::vector<Field>& fields) {
  std::set<std::string> kinds;
  collect_kinds(fields, kinds);
  for (const Component* c : registry.all()) {
    kinds.insert(c->kind);
    collect_kinds(c->fields, kinds);
  }
  Json out = table_of(fields, false);
  const Json path = {{"type", "string"}};
  out["properties"]["base"] = {{"anyOf", Json::array({path, {{"type", "array"}, {"items", path}}})},
                               {"description", "recipes that this one inherits, relative to this file"}};
  Json defs = Json::object();
  for (const std::string& kind : kinds) {
    defs[kind] = kind_of(registry, kind);
    for (const Component* c : registry.all(kind)) {
      Json table = table_of(c->fields, true);
      table["description"] = c->summary;
      defs[fmt::format("{}/{}", kind, c->name)] = std::move(table);
    }
  }
  Json whole = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Marey recipe"}};
  whole.update(out);
  whole["$defs"] = std::move(defs);
  return whole;
}

}  // namespace marey
