// The JSON Schema (draft 2020-12) of recipe files: editors complete and check recipes with it, and the shell
// completes override keys. It describes one file, which may inherit the rest: nothing is required but that
// what stands there is known and of the right type.
#pragma once
#include <marey/core/registry.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace marey {

// `fields`: the top level of a recipe. Components are found under $defs, "backbone/SlowFast".
nlohmann::ordered_json json_schema(const Registry&, const std::vector<Field>& fields);

}  // namespace marey
