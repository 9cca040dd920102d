#include "checkpoint.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("checkpoint", "0.1.0") {
  registry.add<marey::Hook, marey::hooks::Checkpoint>("Checkpoint",
                                                      "saves a run; keeps the last and the best");
}
