#include "core/plugin_place.hpp"

#include "support/catch.hpp"

using marey::Permissions;
using marey::unsafe_permissions;

TEST_CASE("who may change a plugin decides whether it is loaded") {
  constexpr uid_t me = 1000, root = 0, other = 1001;
  const auto safe = [](const Permissions& p, bool direct) {
    return unsafe_permissions("/x", p, me, direct).empty();
  };
  CHECK(safe({.mode = 0755, .owner = me}, true));
  CHECK(safe({.mode = 0755, .owner = root}, true));
  CHECK_FALSE(safe({.mode = 0755, .owner = other}, true));
  CHECK(safe({.mode = 0755, .owner = other}, false));
  CHECK_FALSE(safe({.mode = 0757, .owner = me}, true));
  CHECK_FALSE(safe({.mode = 0757, .owner = me}, false));
  CHECK_FALSE(safe({.mode = 0775, .owner = me}, true));
  CHECK(safe({.mode = 0775, .owner = me, .group_is_private = true}, true));
  CHECK(safe({.mode = 01777, .owner = root}, false));  // /tmp above the folder of the plugin
  CHECK_FALSE(safe({.mode = 01777, .owner = root}, true));
}
