// A component's parameters as rows and as JSON, for list, describe and docs/components.md.
#pragma once
#include <marey/core/registry.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace marey::app {

struct ParameterRow {
  std::string name;  // "mean", or "fusion.kernel" of a nested table
  std::string type, fallback, range, doc;
};

std::vector<ParameterRow> parameter_rows(const std::vector<Field>&);
std::string describe_text(const Component&);
std::string describe_markdown(const Registry&,
                              const std::vector<Field>& recipe);  // everything: docs/components.md
nlohmann::ordered_json describe_json(const Component&, bool with_parameters);

}  // namespace marey::app
