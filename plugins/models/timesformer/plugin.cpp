#include "timesformer.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("timesformer", "0.1.0") {
  registry.add<marey::Backbone, marey::TimeSformer>(
      "TimeSformer", "a vision transformer whose attention runs over space and time");
}
