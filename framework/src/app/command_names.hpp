// Every command in one table, for the front, the dispatch and completion. Needs no LibTorch.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace marey::app {

struct CommandName {
  std::string_view name;       // "data motion": two words
  std::string_view arguments;  // "RECIPE [key=value …]"
  std::string_view summary;
};

std::span<const CommandName> command_names();
std::string overview();  // what `marey --help` prints

}  // namespace marey::app
