// A component of one of our plugins, made the way a recipe makes it.
#pragma once
#include "support/catch.hpp"
#include "support/places.hpp"

#include <marey/core/plugin_loader.hpp>
#include <marey/core/registry.hpp>

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace marey::test {

inline Value table(std::initializer_list<std::pair<const char*, Value>> entries) {
  Value out = Value::table();
  for (const auto& [key, value] : entries) out.set(key, value);
  return out;
}

// Holds one plugin of the build tree.
class Plugin {
 public:
  explicit Plugin(const std::string& name) : loader_(registry_) {
    const PluginStatus& s =
        loader_.load(marey::test::build_folder() / "lib" / "marey" / "plugins" / (name + ".so"));
    INFO(s.problem);
    REQUIRE(s.loaded);
  }

  template <class Base>
  std::shared_ptr<Base> make(const std::string& type,
                             std::initializer_list<std::pair<const char*, Value>> params = {}) {
    Value t = table(params);
    t.set("type", type);
    return std::static_pointer_cast<Base>(read_component(registry_, Base::kind, t).make());
  }

  // What a recipe's reader says about these parameters; "" when they are right.
  template <class Base>
  std::string problem(const std::string& type, std::initializer_list<std::pair<const char*, Value>> params) {
    try {
      make<Base>(type, params);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }

 private:
  Registry registry_;
  PluginLoader loader_;
};

}  // namespace marey::test
