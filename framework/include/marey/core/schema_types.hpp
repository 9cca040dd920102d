// How each C++ type is read from and written to a recipe. Included by schema.hpp.
#pragma once
#include <marey/core/schema.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>

namespace marey {

namespace detail {
// Each adds a diagnostic and returns false when the value does not fit.
bool read_boolean(const Value&, bool&, ReadContext&);
bool read_integer(const Value&, std::int64_t&, std::int64_t lowest, std::int64_t highest, const Spec&,
                  ReadContext&);
bool read_number(const Value&, double&, const Spec&, ReadContext&);
bool read_string(const Value&, std::string&, const Spec&, ReadContext&);
bool read_path(const Value&, std::string& absolute, ReadContext&);
bool read_choice(const Value&, std::size_t& index, const std::vector<std::string>& names, ReadContext&);
// Checks that the value is an array (of `length`, 0 = any) or a table; adds a diagnostic when it is not.
const Value::Array* read_list(const Value&, std::size_t length, ReadContext&);
const Value::Table* read_table(const Value&, ReadContext&);

// Extends ctx.path while a part of a value is read.
class PathScope {
 public:
  PathScope(ReadContext& ctx, std::string_view part) : ctx_(ctx), length_(ctx.path.size()) {
    if (!ctx_.path.empty()) ctx_.path += '.';
    ctx_.path += part;
  }
  ~PathScope() { ctx_.path.resize(length_); }
  PathScope(const PathScope&) = delete;

 private:
  ReadContext& ctx_;
  std::size_t length_;
};
}  // namespace detail

template <>
struct ParamType<bool> {
  static TypeInfo type(const Spec&) { return {.kind = TypeInfo::Kind::boolean}; }
  static void read(const Value& v, bool& out, const Spec&, ReadContext& c) {
    detail::read_boolean(v, out, c);
  }
  static Value write(bool v) { return v; }
};

template <std::integral T>
struct ParamType<T> {
  static TypeInfo type(const Spec&) { return {.kind = TypeInfo::Kind::integer}; }
  static void read(const Value& v, T& out, const Spec& s, ReadContext& c) {
    std::int64_t n;
    constexpr auto top = std::numeric_limits<std::int64_t>::max();
    constexpr auto highest = std::cmp_greater(std::numeric_limits<T>::max(), top)
                                 ? top
                                 : static_cast<std::int64_t>(std::numeric_limits<T>::max());
    if (detail::read_integer(v, n, static_cast<std::int64_t>(std::numeric_limits<T>::min()), highest, s, c))
      out = static_cast<T>(n);
  }
  static Value write(T v) { return static_cast<std::int64_t>(v); }
};

template <std::floating_point T>
struct ParamType<T> {
  static TypeInfo type(const Spec&) { return {.kind = TypeInfo::Kind::number}; }
  static void read(const Value& v, T& out, const Spec& s, ReadContext& c) {
    double d;
    if (detail::read_number(v, d, s, c)) out = static_cast<T>(d);
  }
  static Value write(T v) { return static_cast<double>(v); }
};

template <>
struct ParamType<std::string> {
  static TypeInfo type(const Spec& s) {
    return {.kind = s.one_of.empty() ? TypeInfo::Kind::string : TypeInfo::Kind::choice, .choices = s.one_of};
  }
  static void read(const Value& v, std::string& out, const Spec& s, ReadContext& c) {
    detail::read_string(v, out, s, c);
  }
  static Value write(const std::string& v) { return v; }
};

template <>
struct ParamType<FilePath> {
  static TypeInfo type(const Spec&) { return {.kind = TypeInfo::Kind::path}; }
  static void read(const Value& v, FilePath& out, const Spec&, ReadContext& c) {
    detail::read_path(v, out.path, c);
  }
  static Value write(const FilePath& v) { return v.path; }
};

template <class E>
requires std::is_enum_v<E>
struct ParamType<E> {
  static std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& [value, name] : EnumNames<E>::names) out.emplace_back(name);
    return out;
  }
  static TypeInfo type(const Spec&) { return {.kind = TypeInfo::Kind::choice, .choices = names()}; }
  static void read(const Value& v, E& out, const Spec&, ReadContext& c) {
    std::size_t i;
    if (detail::read_choice(v, i, names(), c)) out = EnumNames<E>::names[i].first;
  }
  static Value write(E v) {
    for (const auto& [value, name] : EnumNames<E>::names)
      if (value == v) return std::string(name);
    return {};
  }
};

template <class T>
struct ParamType<std::optional<T>> {
  static TypeInfo type(const Spec& s) {
    auto t = ParamType<T>::type(s);
    t.optional = true;
    return t;
  }
  static void read(const Value& v, std::optional<T>& out, const Spec& s, ReadContext& c) {
    T item{};
    const auto errors = c.diagnostics.size();
    ParamType<T>::read(v, item, s, c);
    if (c.diagnostics.size() == errors) out = std::move(item);
  }
  static Value write(const std::optional<T>& v) { return v ? ParamType<T>::write(*v) : Value{}; }
};

template <class T>
struct ParamType<std::vector<T>> {
  static TypeInfo type(const Spec& s) {
    return {.kind = TypeInfo::Kind::list, .element = {ParamType<T>::type(s)}};
  }
  static void read(const Value& v, std::vector<T>& out, const Spec& s, ReadContext& c) {
    const auto* items = detail::read_list(v, 0, c);
    if (!items) return;
    out.clear();
    for (std::size_t i = 0; i < items->size(); ++i) {
      detail::PathScope scope(c, std::to_string(i));
      T item{};
      ParamType<T>::read((*items)[i], item, s, c);
      out.push_back(std::move(item));
    }
  }
  static Value write(const std::vector<T>& v) {
    Value::Array out;
    for (const T& item : v) out.push_back(ParamType<T>::write(item));
    return out;
  }
};

template <class T, std::size_t N>
struct ParamType<std::array<T, N>> {
  static TypeInfo type(const Spec& s) {
    return {.kind = TypeInfo::Kind::list, .element = {ParamType<T>::type(s)}, .length = N};
  }
  static void read(const Value& v, std::array<T, N>& out, const Spec& s, ReadContext& c) {
    const auto* items = detail::read_list(v, N, c);
    if (!items) return;
    for (std::size_t i = 0; i < N; ++i) {
      detail::PathScope scope(c, std::to_string(i));
      ParamType<T>::read((*items)[i], out[i], s, c);
    }
  }
  static Value write(const std::array<T, N>& v) {
    Value::Array out;
    for (const T& item : v) out.push_back(ParamType<T>::write(item));
    return out;
  }
};

// A table of named things. `name = false` drops an inherited one. The order is the order of the names.
template <class T>
struct ParamType<std::map<std::string, T>> {
  static TypeInfo type(const Spec& s) {
    return {.kind = TypeInfo::Kind::map, .element = {ParamType<T>::type(s)}};
  }
  static void read(const Value& v, std::map<std::string, T>& out, const Spec& s, ReadContext& c) {
    const auto* entries = detail::read_table(v, c);
    if (!entries) return;
    for (const auto& e : *entries) {
      if (const bool* on = e.value.boolean(); on && !*on) {
        out.erase(e.key);
        continue;
      }
      detail::PathScope scope(c, e.key);
      ParamType<T>::read(e.value, out[e.key], s, c);
    }
  }
  static Value write(const std::map<std::string, T>& v) {
    Value out = Value::table();
    for (const auto& [name, item] : v) out.set(name, ParamType<T>::write(item));
    return out;
  }
};

template <class T>
concept HasSchema = requires {
  { T::schema().fields } -> std::convertible_to<std::vector<Field>>;
};

// A nested struct that declares its own schema.
template <HasSchema T>
struct ParamType<T> {
  static TypeInfo type(const Spec&) { return {.kind = TypeInfo::Kind::table, .fields = T::schema().fields}; }
  static void read(const Value& v, T& out, const Spec&, ReadContext& c) {
    if (detail::read_table(v, c)) read_fields(&out, T::schema().fields, v, c);
  }
  static Value write(const T& v) { return write_fields(&v, T::schema().fields); }
};

}  // namespace marey
