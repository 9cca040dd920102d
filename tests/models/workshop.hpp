// The model plugins of the build tree, and what tests build from them.
#pragma once
#include "support/catch.hpp"
#include "support/places.hpp"

#include <marey/core/plugin_loader.hpp>
#include <marey/core/recipe.hpp>
#include <marey/core/registry.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace marey::test {

// A small SlowFast: 6 blocks less than a ResNet-18 has, and few channels.
inline const std::string small_slowfast =
    "type = 'SlowFast'\nblocks = [1, 1, 1, 1]\nblock = 'basic'\nalpha = 4\nstem_width = 8\nwidths = [8, 8, "
    "16, 16]\nbeta = 0.5\n";

class Workshop {
 public:
  Workshop() : loader_(registry_) {
    for (const char* name : {"slowfast", "timesformer", "x3d", "heads", "losses", "recognizer"}) {
      const auto& s = loader_.load(marey::test::build_folder() / "lib" / "marey" / "plugins" /
                                   (std::string(name) + ".so"));
      INFO(s.problem);
      REQUIRE(s.loaded);
    }
  }

  // `toml`: the component's table.
  template <class Base>
  std::shared_ptr<Base> make(const std::string& toml) {
    const Value table =
        parse_toml(std::make_shared<Source>(Source{.name = "test.toml", .directory = "/", .text = toml}));
    return std::static_pointer_cast<Base>(read_component(registry_, Base::kind, table).make());
  }

 private:
  Registry registry_;
  PluginLoader loader_;
};

}  // namespace marey::test
