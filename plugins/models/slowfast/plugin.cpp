#include "resnet3d.hpp"
#include "slowfast.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("slowfast", "0.1.0") {
  registry.add<marey::Backbone, marey::ResNet3D>("ResNet3D",
                                                 "one 3D ResNet: SlowOnly, I3D, C2D and their relatives");
  registry.add<marey::Backbone, marey::SlowFast>(
      "SlowFast", "two 3D ResNets: few frames and many channels, all frames and few channels");
}
