#include <marey/core/schema.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

namespace marey {
namespace {

std::string shown(const Value& v) {
  std::string text = to_inline_toml(v);
  constexpr std::size_t widest = 60;
  if (text.size() > widest) text = text.substr(0, widest) + "…";
  return text;
}

bool wrong_type(const Value& v, std::string_view expected, ReadContext& c) {
  c.diagnostics.add(v.origin, c.path,
                    fmt::format("expected {}, got {} {}", expected, kind_name(v.kind()), shown(v)));
  return false;
}

std::string range_text(const Spec& s) {
  if (std::isinf(s.max)) return fmt::format("at least {}", s.min);
  if (std::isinf(s.min)) return fmt::format("at most {}", s.max);
  return fmt::format("from {} to {}", s.min, s.max);
}

bool in_range(const Value& v, double d, const Spec& s, ReadContext& c) {
  if (d >= s.min && d <= s.max) return true;  // also refuses NaN where a bound is set
  if (std::isinf(s.min) && std::isinf(s.max) && !std::isnan(d)) return true;
  c.diagnostics.add(
      v.origin, c.path,
      fmt::format("expected {}{}{}, got {}", range_text(s), s.unit.empty() ? "" : " ", s.unit, shown(v)));
  return false;
}

}  // namespace

namespace detail {

bool read_boolean(const Value& v, bool& out, ReadContext& c) {
  const bool* b = v.boolean();
  if (!b) return wrong_type(v, "true or false", c);
  out = *b;
  return true;
}

bool read_integer(const Value& v, std::int64_t& out, std::int64_t lowest, std::int64_t highest, const Spec& s,
                  ReadContext& c) {
  const std::int64_t* n = v.integer();
  if (!n) return wrong_type(v, "integer", c);
  if (!in_range(v, static_cast<double>(*n), s, c)) return false;
  if (*n < lowest || *n > highest) {
    c.diagnostics.add(v.origin, c.path, fmt::format("expected from {} to {}, got {}", lowest, highest, *n));
    return false;
  }
  out = *n;
  return true;
}

bool read_number(const Value& v, double& out, const Spec& s, ReadContext& c) {
  if (const auto* n = v.integer())
    out = static_cast<double>(*n);
  else if (const auto* d = v.number())
    out = *d;
  else
    return wrong_type(v, "number", c);
  return in_range(v, out, s, c);
}

bool read_string(const Value& v, std::string& out, const Spec& s, ReadContext& c) {
  if (s.one_of.empty()) {
    const auto* text = v.string();
    if (!text) return wrong_type(v, "string", c);
    out = *text;
    return true;
  }
  std::size_t i;
  if (!read_choice(v, i, s.one_of, c)) return false;
  out = s.one_of[i];
  return true;
}

bool read_choice(const Value& v, std::size_t& index, const std::vector<std::string>& names, ReadContext& c) {
  const auto* text = v.string();
  if (!text) return wrong_type(v, fmt::format("one of \"{}\"", fmt::join(names, "\", \"")), c);
  const auto it = std::ranges::find(names, *text);
  if (it == names.end()) {
    std::string hint = did_you_mean(*text, names);
    if (!hint.starts_with(';')) hint.clear();  // the message lists the names anyway
    c.diagnostics.add(v.origin, c.path,
                      fmt::format("expected one of {}, got \"{}\"{}", fmt::join(names, ", "), *text, hint));
    return false;
  }
  index = static_cast<std::size_t>(it - names.begin());
  return true;
}

bool read_path(const Value& v, std::string& absolute, ReadContext& c) {
  const auto* text = v.string();
  if (!text) return wrong_type(v, "path (a string)", c);
  if (text->empty()) {
    absolute.clear();
    return true;
  }
  if (text->find('\0') != std::string::npos) return wrong_type(v, "path without a zero byte", c);
  const std::filesystem::path base = v.origin.source && !v.origin.source->directory.empty()
                                         ? std::filesystem::path(v.origin.source->directory)
                                         : std::filesystem::current_path();
  absolute = (base / *text).lexically_normal().string();
  return true;
}

const Value::Array* read_list(const Value& v, std::size_t length, ReadContext& c) {
  const auto* items = v.array_items();
  if (!items) {
    wrong_type(v, length ? fmt::format("list of {}", length) : "list", c);
    return nullptr;
  }
  if (length && items->size() != length) {
    c.diagnostics.add(v.origin, c.path, fmt::format("expected {} entries, got {}", length, items->size()));
    return nullptr;
  }
  return items;
}

const Value::Table* read_table(const Value& v, ReadContext& c) {
  if (!v.entries()) wrong_type(v, "table", c);
  return v.entries();
}

}  // namespace detail

std::string TypeInfo::name() const {
  const auto base = [this]() -> std::string {
    switch (kind) {
      case Kind::boolean:
        return "boolean";
      case Kind::integer:
        return "integer";
      case Kind::number:
        return "number";
      case Kind::string:
        return "string";
      case Kind::path:
        return "path";
      case Kind::choice:
        return fmt::format("{}", fmt::join(choices, " | "));
      case Kind::list:
        return length ? fmt::format("list of {} {}", length, element.front().name())
                      : "list of " + element.front().name();
      case Kind::map:
        return "table of " + element.front().name();
      case Kind::table:
        return "table";
      case Kind::component:
        return component_kind;
    }
    return "value";
  }();
  return optional ? "none or " + base : base;
}

void read_fields(void* params, const std::vector<Field>& fields, const Value& table, ReadContext& c,
                 std::string_view skip) {
  const auto* entries = detail::read_table(table, c);
  if (!entries) return;
  for (const auto& e : *entries) {
    if (!skip.empty() && e.key == skip) continue;
    const auto f = std::ranges::find(fields, e.key, &Field::name);
    detail::PathScope scope(c, e.key);
    if (f == fields.end()) {
      std::vector<std::string> names;
      for (const Field& known : fields) names.push_back(known.name);
      const Origin& at = e.key_origin.source ? e.key_origin : e.value.origin;
      const std::string hint = did_you_mean(e.key, names);
      // A table whose type another recipe changed still holds the old type's keys. A key that is nearly
      // right, or that was written on the command line, is a slip.
      const Value* type = skip.empty() ? nullptr : table.find(skip);
      const bool left_over = type && type->origin.source && at.source && type->origin.source != at.source &&
                             type->origin.source->name != "command line" &&
                             at.source->name != "command line" && !hint.starts_with(';');
      c.diagnostics.add(
          at, c.path,
          left_over ? fmt::format(
                          "{} has no such key, and {} changed the type to it; write _delete_ = true there to "
                          "drop what was inherited",
                          to_inline_toml(*type), to_string(type->origin))
                    : "unknown key" + hint);
    } else {
      f->read(params, e.value, c);
    }
  }
  for (const Field& f : fields)
    if (f.spec.required && !table.find(f.name)) {
      detail::PathScope scope(c, f.name);
      c.diagnostics.add(table.origin, c.path,
                        fmt::format("missing: expected {} ({})", f.type.name(), f.spec.doc));
    }
}

Value write_fields(const void* params, const std::vector<Field>& fields) {
  Value out = Value::table();
  for (const Field& f : fields) out.set(f.name, f.write(params));
  return out;
}

}  // namespace marey
