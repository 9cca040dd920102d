// What this plugin offers.
#include "frame_difference.hpp"
#include "stop_at_loss.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("external_plugin", "1.0.0") {
  registry.add<marey::Backbone, FrameDifference>("FrameDifference",
                                                 "convolutions over what changes between frames");
  registry.add<marey::Hook, StopAtLoss>("StopAtLoss", "ends a run whose loss is low enough");
}
