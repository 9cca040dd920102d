// marey completion-data: what share/marey/completion.json holds. Run when Marey is built; not listed.
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
  a.add_text("out", "the folder to write completion.json and recipe.schema.json to", ".");
}

ExitCode run(const Arguments& a) {
  const Host host(a);
  const auto schema = json_schema(host.registry, Experiment::schema().fields);
  nlohmann::ordered_json data = {{"schema", schema}, {"options", nlohmann::ordered_json::object()}};
  for (const Command* c : commands()) {
    Arguments each({c->name, {}, {}});
    c->options(each);
    data["options"][std::string(c->name)] = each.names();
  }
  const std::filesystem::path folder = a.text("out");
  write_file_atomically(folder / "completion.json", data.dump() + "\n");
  write_file_atomically(folder / "recipe.schema.json", schema.dump(1) + "\n");
  return ExitCode::ok;
}

}  // namespace

extern const Command completion_data_command{"completion-data", options, run};

}  // namespace marey::app
