#include "app/commands.hpp"

namespace marey::app {

std::span<const Command* const> commands() {
  static constexpr const Command* all[] = {
      &data_check_command, &index_command,           &pack_command,    &probe_command,
      &stats_command,      &train_command,           &test_command,    &predict_command,
      &check_command,      &config_command,          &list_command,    &describe_command,
      &new_plugin_command, &motion_command,          &doctor_command,  &schema_command,
      &rawframes_command,  &completion_data_command, &convert_command, &export_command};
  return all;
}

}  // namespace marey::app
