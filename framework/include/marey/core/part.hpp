// A field of Params that holds another component: `Part<Backbone> backbone;`. Reading a recipe checks the
// part and all below it without building anything; make() builds it later.
#pragma once
#include <marey/core/schema.hpp>

#include <memory>
#include <string>
#include <vector>

namespace marey {

struct Component;

// Type-erased: what was read for one component.
struct Blueprint {
  const Component* component = nullptr;  // owned by the registry, which outlives every blueprint
  std::shared_ptr<const void> params;
  Origin at;
  std::string path;  // dotted key in the recipe

  std::shared_ptr<void> make()
      const;            // an exception of the component comes out with its type, plugin and place
  Value write() const;  // the table with "type" and every parameter
  const std::string& type() const;
};

namespace detail {
bool read_part(std::string_view kind, const Value&, Blueprint&, ReadContext&);
}

// A component that a recipe names, read and checked, not yet built. Empty when the recipe gives none.
template <class Base>
class Part {
 public:
  explicit operator bool() const { return blueprint_.component != nullptr; }
  std::shared_ptr<Base> make() const { return std::static_pointer_cast<Base>(blueprint_.make()); }
  const std::string& type() const { return blueprint_.type(); }
  const Blueprint& blueprint() const { return blueprint_; }

 private:
  friend struct ParamType<Part>;
  Blueprint blueprint_;
};

template <class Base>
struct ParamType<Part<Base>> {
  static TypeInfo type(const Spec&) {
    return {.kind = TypeInfo::Kind::component, .component_kind = std::string(Base::kind)};
  }
  static void read(const Value& v, Part<Base>& out, const Spec&, ReadContext& c) {
    detail::read_part(Base::kind, v, out.blueprint_, c);
  }
  static Value write(const Part<Base>& v) { return v ? v.blueprint_.write() : Value{}; }
};

}  // namespace marey
