// Every component that the loaded plugins offer. An object that main() owns; tests build their own.
#pragma once
#include <marey/core/part.hpp>
#include <marey/core/schema.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marey {

struct Component {
  std::string kind, name, summary;
  std::string plugin, plugin_version, plugin_file;  // who offers it; empty: the host
  std::vector<Field> fields;
  // Reads the recipe's table ("type" aside) into new Params; problems become diagnostics.
  std::function<std::shared_ptr<const void>(const Value& table, ReadContext&)> read;
  std::function<std::shared_ptr<void>(const void* params)> make;  // holds a Base, see Registry::add
};

// An old name of a component: still accepted, with a message.
struct Alias {
  std::string kind, old_name, name, message;
  std::string plugin;
};

struct NoParams {
  static Schema<NoParams> schema() { return {}; }
};

namespace detail {
template <class T>
concept WithParams = requires {
  typename T::Params;
  T::schema();
}
&&std::constructible_from<T, typename T::Params>;
template <class T>
concept ChecksParams = requires(const typename T::Params& p) {
  { T::check(p) } -> std::convertible_to<std::string>;
};
}  // namespace detail

// Base is a kind (has `static constexpr std::string_view kind`). T derives from Base and either has `struct
// Params`, `static auto schema()` and T(Params), or is default-constructible and takes no parameters. `static
// std::string check(const Params&)`, where present, names what is wrong between parameters ("" = nothing).
template <class Base, class T>
concept ComponentOf = std::derived_from<T, Base> &&
    std::convertible_to<decltype(Base::kind), std::string_view> &&
    (detail::WithParams<T> || std::default_initializable<T>);

class Registry {
 public:
  Registry() = default;
  Registry(const Registry&) = delete;

  template <class Base, class T>
  requires ComponentOf<Base, T>
  void add(std::string name, std::string summary) {
    Component c;
    c.kind = Base::kind;
    c.name = std::move(name);
    c.summary = std::move(summary);
    if constexpr (detail::WithParams<T>) {
      using P = typename T::Params;
      c.fields = T::schema().fields;
      c.read = [fields = c.fields](const Value& table, ReadContext& ctx) -> std::shared_ptr<const void> {
        auto params = std::make_shared<P>();
        const auto errors = ctx.diagnostics.size();
        read_fields(params.get(), fields, table, ctx, "type");
        if constexpr (detail::ChecksParams<T>)
          if (ctx.diagnostics.size() == errors)
            if (std::string wrong = T::check(*params); !wrong.empty())
              ctx.diagnostics.add(table.origin, ctx.path, wrong);
        return params;
      };
      c.make = [](const void* params) {
        return std::shared_ptr<Base>(std::make_shared<T>(*static_cast<const P*>(params)));
      };
    } else {
      c.read = [](const Value& table, ReadContext& ctx) -> std::shared_ptr<const void> {
        auto params = std::make_shared<NoParams>();
        read_fields(params.get(), {}, table, ctx, "type");
        return params;
      };
      c.make = [](const void*) { return std::shared_ptr<Base>(std::make_shared<T>()); };
    }
    insert(std::move(c));
  }

  template <class Base>
  void alias(std::string old_name, std::string name, std::string message) {
    insert_alias({std::string(Base::kind), std::move(old_name), std::move(name), std::move(message), {}});
  }

  // Null when unknown. Follows aliases.
  const Component* find(std::string_view kind, std::string_view name) const;
  const Alias* find_alias(std::string_view kind, std::string_view name) const;
  std::vector<const Component*> all(std::string_view kind = {}) const;  // sorted by kind, then name
  std::vector<std::string> names(std::string_view kind) const;          // sorted

  // Text that explains an unknown name: broken plugins with their reasons. Set by the plugin loader.
  std::string unavailable;

 private:
  friend class Enrolment;
  void insert(Component);  // throws when two plugins offer one name
  void insert_alias(Alias);

  std::map<std::pair<std::string, std::string>, Component, std::less<>> components_;
  std::map<std::pair<std::string, std::string>, Alias, std::less<>> aliases_;
  const struct PluginSource* loading_ = nullptr;
};

// Who is enrolling.
struct PluginSource {
  std::string name, version, file;
};

// Enrolment of one plugin, all or nothing: what it added is taken back unless commit() is reached.
class Enrolment {
 public:
  Enrolment(Registry&, PluginSource);
  ~Enrolment();
  Enrolment(const Enrolment&) = delete;
  void commit();

 private:
  Registry& registry_;
  PluginSource source_;
  bool committed_ = false;
};

// Reads one component table; shorthand for hosts and tests. Throws RecipeError when anything is wrong.
Blueprint read_component(const Registry&, std::string_view kind, const Value& table, std::string path = {});

}  // namespace marey
