#include "jsonl_log.hpp"
#include "progress.hpp"
#include "text_log.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("logging", "0.1.0") {
  using namespace marey::hooks;
  registry.add<marey::Hook, JsonlLog>("JsonlLog", "metrics.jsonl in the run folder");
  registry.add<marey::Hook, Progress>("Progress",
                                      "a progress line with throughput and time left, on a terminal");
  registry.add<marey::Hook, TextLog>("TextLog", "a line every so many steps and at each evaluation");
}
