// Parameters, declared once beside the component:
//
//   struct Params { int alpha = 8; double beta = 0.125; };
//   static auto schema() {
//     return marey::Schema<Params>{}
//         .arg<&Params::alpha>({.doc = "frame-rate ratio of the fast to the slow pathway", .min = 1, .max =
//         32}) .arg<&Params::beta>({.doc = "channel ratio of the fast to the slow pathway", .min = 0, .max =
//         1});
//   }
//
// From this come reading with positions, `marey describe`, docs/components.md, the JSON Schema, completion
// and the resolved recipe. Types: bool, integers, floating point, std::string, FilePath, enums (see
// EnumNames), std::optional, std::vector, std::array, std::map<std::string, T>, nested structs with a
// schema(), and Part<Base> (part.hpp).
#pragma once
#include <marey/core/diagnostics.hpp>
#include <marey/core/value.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

class Registry;

struct Spec {
  std::string doc;
  std::string unit = {};
  double min = -std::numeric_limits<double>::infinity();  // of a number, or of each number of a list
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> one_of = {};  // allowed strings
  bool required = false;                 // the recipe must set it; else the struct's value is the default
};

struct Field;

// The shape of a parameter, as plain data.
struct TypeInfo {
  enum class Kind { boolean, integer, number, string, path, choice, list, map, table, component };
  Kind kind = Kind::string;
  bool optional = false;             // may be absent
  std::vector<std::string> choices;  // choice
  std::vector<TypeInfo> element;     // list, map: one entry
  std::size_t length = 0;            // list: exact length, 0 = any
  std::vector<Field> fields;         // table
  std::string component_kind;        // component: "backbone", …
  std::string name() const;          // "integer", "list of number", "backbone", "none or integer"
};

// What a reader needs: where errors go, and who knows the components.
struct ReadContext {
  const Registry& registry;
  Diagnostics& diagnostics;
  std::string path = {};  // dotted key of the value being read
};

struct Field {
  std::string name;
  TypeInfo type;
  Value fallback;  // default; null when there is none
  Spec spec;
  std::function<void(void* params, const Value&, ReadContext&)> read;
  std::function<Value(const void* params)> write;
};

// Reads the keys of a table into params: unknown keys, missing required keys and wrong values become
// diagnostics. `skip` names a key that belongs to somebody else ("type").
void read_fields(void* params, const std::vector<Field>&, const Value& table, ReadContext&,
                 std::string_view skip = {});
Value write_fields(const void* params, const std::vector<Field>&);

// A file or folder. Relative ones are relative to the recipe that holds them (overrides: the working
// directory).
struct FilePath {
  std::string path;  // absolute after reading; empty: not given
  bool empty() const { return path.empty(); }
  friend bool operator==(const FilePath&, const FilePath&) = default;
};

// Specialise to use an enum as a parameter:
//   template <> struct marey::EnumNames<Mode> { static constexpr std::array names{std::pair{Mode::a, "a"},
//   …}; };
template <class E>
struct EnumNames;

template <class T>
struct ParamType;  // type(), read(), write(); see schema_types.hpp

template <auto Member>
consteval std::string_view member_name() {
  std::string_view s = __PRETTY_FUNCTION__;  // "… [with auto Member = &Params::alpha; …]"
  s.remove_prefix(s.find("Member = ") + 9);
  s = s.substr(0, s.find_first_of(";]"));
  return s.substr(s.rfind(':') + 1);
}

namespace detail {
template <class M>
struct MemberOf;
template <class C, class T>
struct MemberOf<T C::*> {
  using Class = C;
  using Type = T;
};
}  // namespace detail

template <class P>
struct Schema {
  std::vector<Field> fields;

  template <auto Member>
  Schema&& arg(Spec spec) && {
    using T = typename detail::MemberOf<decltype(Member)>::Type;
    Field f;
    f.name = std::string(member_name<Member>());
    f.type = ParamType<T>::type(spec);
    if (!spec.required) f.fallback = ParamType<T>::write(P{}.*Member);
    f.read = [spec](void* params, const Value& value, ReadContext& ctx) {
      ParamType<T>::read(value, static_cast<P*>(params)->*Member, spec, ctx);
    };
    f.write = [](const void* params) { return ParamType<T>::write(static_cast<const P*>(params)->*Member); };
    f.spec = std::move(spec);
    fields.push_back(std::move(f));
    return std::move(*this);
  }

  // Takes over the parameters of a base struct (P derives from B).
  template <class B>
  Schema&& include(Schema<B> base) && {
    for (Field& f : base.fields) {
      f.read = [read = std::move(f.read)](void* p, const Value& v, ReadContext& c) {
        read(static_cast<B*>(static_cast<P*>(p)), v, c);
      };
      f.write = [write = std::move(f.write)](const void* p) {
        return write(static_cast<const B*>(static_cast<const P*>(p)));
      };
      fields.push_back(std::move(f));
    }
    return std::move(*this);
  }
};

}  // namespace marey

#include <marey/core/schema_types.hpp>
