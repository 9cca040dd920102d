#include "app/complete_override.hpp"

#include <marey/core/recipe.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace marey::app {
namespace {

using Json = nlohmann::json;

// A place in the schema beside the same place in the recipe.
struct Place {
  const Json* schema = nullptr;
  const Value* value = nullptr;
};

// Follows references and alternatives to what describes this value; a component is chosen by its type.
const Json* settle(const Json& root, const Json* node, const Value* value) {
  for (int depth = 0; node && depth < 16; ++depth) {
    if (const auto any = node->find("anyOf"); any != node->end()) {
      node = &any->front();
    } else if (const auto ref = node->find("$ref"); ref != node->end()) {
      const std::string pointer = ref->get<std::string>().substr(1);
      const std::string kind = pointer.substr(pointer.rfind('/') + 1);
      const Value* type = value ? value->find("type") : nullptr;
      const auto& definitions = root.at("$defs");
      const auto exact =
          type && type->string() ? definitions.find(kind + "/" + *type->string()) : definitions.end();
      node = exact != definitions.end() ? &*exact : &root.at(Json::json_pointer(pointer));
    } else {
      return node;
    }
  }
  return node;
}

Place child(const Json& root, const Place& at, const std::string& key) {
  Place out;
  if (const auto properties = at.schema->find("properties");
      properties != at.schema->end() && properties->contains(key))
    out.schema = &properties->at(key);
  else if (const auto more = at.schema->find("additionalProperties");
           more != at.schema->end() && more->is_object())
    out.schema = &*more;
  else if (const auto items = at.schema->find("items"); items != at.schema->end())
    out.schema = &*items;
  if (at.value) {
    out.value = at.value->find(key);
    if (const auto* list = at.value->array_items())
      if (const auto i = static_cast<std::size_t>(std::strtoul(key.c_str(), nullptr, 10)); i < list->size())
        out.value = &(*list)[i];
  }
  out.schema = out.schema ? settle(root, out.schema, out.value) : nullptr;
  return out;
}

std::string type_of(const Json* node) {
  return node && node->contains("type") ? node->at("type").get<std::string>() : "";
}

std::vector<std::string> keys_at(const Json& root, const Place& at) {
  std::vector<std::string> keys;
  if (const auto properties = at.schema->find("properties"); properties != at.schema->end())
    for (const auto& [key, value] : properties->items())
      if (key != "_delete_" && key != "base") keys.push_back(key);
  if (at.value && at.value->entries() &&
      !(at.schema->contains("additionalProperties") && at.schema->at("additionalProperties") == false))
    for (const auto& e : *at.value->entries()) keys.push_back(e.key);
  if (at.value)
    if (const auto* list = at.value->array_items())
      for (std::size_t i = 0; i < list->size(); ++i) keys.push_back(std::to_string(i));
  for (std::string& key : keys) {
    const Place below = child(root, at, key);
    const bool list_of_tables = type_of(below.schema) == "array" && below.value && below.value->array_items();
    key += type_of(below.schema) == "object" || list_of_tables ? "." : "=";
  }
  return keys;
}

std::vector<std::string> values_at(const Place& at) {
  std::vector<std::string> out;
  if (!at.schema) return out;
  if (const auto choices = at.schema->find("enum"); choices != at.schema->end())
    for (const auto& c : *choices) out.push_back(c.get<std::string>());
  if (type_of(at.schema) == "boolean") out = {"true", "false"};
  return out;
}

// "type" of a component: every component of its kind.
std::vector<std::string> types_of(const Json& root, const Json* component) {
  std::vector<std::string> out;
  for (const auto& [key, value] : root.at("$defs").items()) {
    if (&value != component) continue;
    const std::string kind = key.substr(0, key.find('/'));
    for (const auto& t : root.at("$defs").at(kind).at("properties").at("type").at("enum")) out.push_back(t);
  }
  return out;
}

}  // namespace

std::vector<std::string> complete_override(const std::string& word, const Json& schema,
                                           const std::filesystem::path& file) {
  const Value recipe = load_recipe(file);
  const std::size_t sign = word.starts_with('+') || word.starts_with('~') ? 1 : 0;
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(sign, equals == std::string::npos ? equals : equals - sign);
  Place at{&schema, &recipe};
  std::string prefix = word.substr(0, sign), last;
  for (std::size_t i = 0;;) {
    const std::size_t dot = key.find('.', i);
    last = key.substr(i, dot == std::string::npos ? dot : dot - i);
    if (dot == std::string::npos) break;
    prefix += last + ".";
    at = child(schema, at, last);
    if (!at.schema) return {};
    i = dot + 1;
  }
  std::vector<std::string> out;
  if (equals == std::string::npos) {
    for (const std::string& k : keys_at(schema, at)) out.push_back(prefix + k);
  } else {
    const auto values = last == "type" ? types_of(schema, at.schema) : values_at(child(schema, at, last));
    for (const std::string& v : values) out.push_back(fmt::format("{}{}={}", prefix, last, v));
  }
  return out;
}

}  // namespace marey::app
