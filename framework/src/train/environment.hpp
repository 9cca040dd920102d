// What a run ran on, for env.json.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace marey {

nlohmann::json environment(std::string_view device);  // versions, machine, command, start

}  // namespace marey
