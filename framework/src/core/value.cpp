#include <marey/core/value.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace marey {

std::string to_string(const Origin& at) {
  if (!at.source) return {};
  if (at.line == 0) return at.source->name;
  return fmt::format("{}:{}:{}", at.source->name, at.line, at.column);
}

Value::Value(Array v) : data_(std::move(v)) {}
Value::Value(Table v) : data_(std::move(v)) {}
Value Value::table() { return Value(Table{}); }
Value Value::array() { return Value(Array{}); }

const Value::Entry* Value::entry(std::string_view key) const {
  const Table* t = entries();
  if (!t) return nullptr;
  const auto it = std::ranges::find(*t, key, &Entry::key);
  return it == t->end() ? nullptr : &*it;
}

const Value* Value::find(std::string_view key) const {
  const Entry* e = entry(key);
  return e ? &e->value : nullptr;
}

Value* Value::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

Value& Value::set(std::string_view key, Value value, Origin key_origin) {
  if (is_null()) data_ = Table{};
  Table* t = entries();
  if (!t) throw std::logic_error("Value::set on something that is no table");
  if (Value* old = find(key)) {
    Entry& e = *std::ranges::find(*t, key, &Entry::key);
    *old = std::move(value);
    if (key_origin.source) e.key_origin = std::move(key_origin);
    return *old;
  }
  t->push_back({std::string(key), std::move(value), std::move(key_origin)});
  return t->back().value;
}

bool Value::erase(std::string_view key) {
  Table* t = entries();
  return t && std::erase_if(*t, [&](const Entry& e) { return e.key == key; }) > 0;
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (const auto* x = a.entries()) {
    const auto* y = b.entries();
    return x->size() == y->size() && std::ranges::all_of(*x, [&](const Value::Entry& e) {
             const Value* other = b.find(e.key);
             return other && *other == e.value;
           });
  }
  if (const auto* x = a.array_items()) return *x == *b.array_items();
  if (const auto* x = a.number(); x && std::isnan(*x)) return std::isnan(*b.number());
  if (const auto* x = a.boolean()) return *x == *b.boolean();
  if (const auto* x = a.integer()) return *x == *b.integer();
  if (const auto* x = a.number()) return *x == *b.number();
  if (const auto* x = a.string()) return *x == *b.string();
  return true;
}

std::string_view kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null:
      return "none";
    case Value::Kind::boolean:
      return "boolean";
    case Value::Kind::integer:
      return "integer";
    case Value::Kind::number:
      return "number";
    case Value::Kind::string:
      return "string";
    case Value::Kind::array:
      return "list";
    case Value::Kind::table:
      return "table";
  }
  return "value";
}

namespace {

std::string toml_string(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
          out += c;
    }
  }
  return out + '"';
}

std::string number_text(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, d).ptr;  // shortest text that reads back the same
  std::string out(buffer, end);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  return bare ? std::string(key) : toml_string(key);
}

bool is_table_list(const Value& v) {
  const auto* items = v.array_items();
  return items && !items->empty() && std::ranges::all_of(*items, &Value::is_table);
}

void write_table(const Value& table, const std::string& prefix, std::string& out) {
  for (const auto& e : *table.entries())
    if (!e.value.is_null() && !e.value.is_table() && !is_table_list(e.value))
      out += key_text(e.key) + " = " + to_inline_toml(e.value) + "\n";
  for (const auto& e : *table.entries()) {
    const std::string path = prefix.empty() ? key_text(e.key) : prefix + "." + key_text(e.key);
    const auto section = [&](const Value& body, std::string_view open, std::string_view close) {
      if (!out.empty()) out += "\n";
      out += fmt::format("{}{}{}\n", open, path, close);
      write_table(body, path, out);
    };
    if (e.value.is_table())
      section(e.value, "[", "]");
    else if (is_table_list(e.value))
      for (const Value& item : *e.value.array_items()) section(item, "[[", "]]");
  }
}

nlohmann::ordered_json json_of(const Value& v) {
  using Json = nlohmann::ordered_json;
  if (const auto* x = v.boolean()) return *x;
  if (const auto* x = v.integer()) return *x;
  if (const auto* x = v.number()) return std::isfinite(*x) ? Json(*x) : Json(number_text(*x));
  if (const auto* x = v.string()) return *x;
  if (const auto* x = v.array_items()) {
    Json out = Json::array();
    for (const Value& item : *x) out.push_back(json_of(item));
    return out;
  }
  if (const auto* x = v.entries()) {
    Json out = Json::object();
    for (const auto& e : *x) out[e.key] = json_of(e.value);
    return out;
  }
  return nullptr;
}

}  // namespace

std::string to_inline_toml(const Value& v) {
  if (const auto* x = v.boolean()) return *x ? "true" : "false";
  if (const auto* x = v.integer()) return std::to_string(*x);
  if (const auto* x = v.number()) return number_text(*x);
  if (const auto* x = v.string()) return toml_string(*x);
  std::string out;
  if (const auto* x = v.array_items()) {
    for (const Value& item : *x) out += (out.empty() ? "" : ", ") + to_inline_toml(item);
    return "[" + out + "]";
  }
  if (const auto* x = v.entries()) {
    for (const auto& e : *x)
      if (!e.value.is_null())
        out += (out.empty() ? "" : ", ") + key_text(e.key) + " = " + to_inline_toml(e.value);
    return out.empty() ? "{}" : "{" + out + "}";
  }
  return "none";
}

std::string to_toml(const Value& table) {
  std::string out;
  write_table(table, {}, out);
  return out;
}

std::string to_json(const Value& v, int indent) {
  return json_of(v).dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace marey
