#include "early_stopping.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("early_stopping", "0.1.0") {
  registry.add<marey::Hook, marey::hooks::EarlyStopping>("EarlyStopping",
                                                         "ends a run whose metric no longer improves");
}
