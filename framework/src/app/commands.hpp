// The table of commands.
#pragma once
#include "app/command.hpp"

#include <span>

namespace marey::app {

extern const Command check_command, data_check_command, index_command, pack_command, probe_command,
    stats_command, completion_data_command, config_command, convert_command, describe_command, doctor_command,
    export_command, list_command, motion_command, new_plugin_command, predict_command, rawframes_command,
    schema_command, test_command, train_command;

std::span<const Command* const> commands();

}  // namespace marey::app
