#include "x3d.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("x3d", "0.1.0") {
  registry.add<marey::Backbone, marey::X3D>(
      "X3D", "a small 3D network of depthwise convolutions, grown one axis at a time");
}
