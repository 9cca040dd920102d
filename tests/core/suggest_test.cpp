#include "support/catch.hpp"

#include <marey/core/diagnostics.hpp>

using marey::did_you_mean;

TEST_CASE("a near name is suggested, a far one is not") {
  const std::vector<std::string> known{"alpha", "beta", "depth"};
  CHECK(did_you_mean("aplha", known) == "; did you mean 'alpha'?");
  CHECK(did_you_mean("ALPHA", known) == "; did you mean 'alpha'?");
  CHECK(did_you_mean("dept", known) == "; did you mean 'depth'?");
  CHECK(did_you_mean("zzzzzz", known) == " (known: alpha, beta, depth)");
  CHECK(did_you_mean("x", std::vector<std::string>{}).empty());
}

TEST_CASE("the nearest of several wins") {
  const std::vector<std::string> known{"SlowOnly", "SlowFast"};
  CHECK(did_you_mean("SlowFats", known) == "; did you mean 'SlowFast'?");
}
