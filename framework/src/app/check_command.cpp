// marey check RECIPE [key=value …]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/log.hpp>
#include <marey/train/runner.hpp>

#include <fmt/format.h>

namespace marey::app {
namespace {

void options(Arguments& a) { a.take_positionals(1); }

ExitCode run(const Arguments& a) {
  const Host host(a);
  const std::string& file = a.positionals()[0];
  check_run(load_experiment(host.registry, file, {a.positionals().begin() + 1, a.positionals().end()}));
  log::info(fmt::format("{}: in order", file));
  return ExitCode::ok;
}

}  // namespace

extern const Command check_command{"check", options, run};

}  // namespace marey::app
