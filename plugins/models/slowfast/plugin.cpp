#include "slowfast.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("slowfast", "0.1.0") {
  registry.add<marey::Backbone, marey::SlowFast>(
      "SlowFast", "two 3D ResNets: few frames and many channels, all frames and few channels");
}
