// marey schema [--out FILE]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/files.hpp>
#include <marey/core/json_schema.hpp>
#include <marey/train/experiment.hpp>

#include <nlohmann/json.hpp>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(0, 0);
  a.add_text("out", "write to this file instead of stdout");
}

ExitCode run(const Arguments& a) {
  const Host host(a);
  const std::string text = json_schema(host.registry, Experiment::schema().fields).dump(1) + "\n";
  if (a.given("out"))
    write_file_atomically(a.text("out"), text);
  else
    print(text);
  return ExitCode::ok;
}

}  // namespace

extern const Command schema_command{"schema", options, run};

}  // namespace marey::app
