// How each project names the weights of the networks that both it and we have.
#pragma once
#include <span>
#include <string_view>

namespace marey {

struct WeightNameRule {
  const char* pattern;  // std::regex
  const char* text;
};
struct WeightSetting {
  std::string_view path, value;  // as TOML
};
// Of one kind of network of one project. The rules are applied one after another.
struct WeightNameTable {
  std::string_view project, sign;  // a beginning of a name that no other table has
  std::span<const WeightNameRule> rules;
  std::span<const WeightSetting> settings;  // see unlike_settings()
};

std::span<const WeightNameTable> weight_name_tables();   // from theirs to ours
std::span<const WeightNameTable> weight_name_exports();  // from ours to theirs; the signs are of our names

}  // namespace marey
