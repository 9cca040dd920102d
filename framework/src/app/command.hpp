// A command: reads its arguments, does its work, returns the exit code. One file per command; commands.cpp is
// the table.
#pragma once
#include "app/arguments.hpp"

#include <marey/core/error.hpp>

#include <string_view>

namespace marey::app {

struct Command {
  std::string_view name;
  void (*options)(Arguments&);  // declares what it takes
  ExitCode (*run)(const Arguments&);
};

}  // namespace marey::app
