#include "gradient_accumulation.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("accumulation", "0.1.0") {
  registry.add<marey::Hook, marey::hooks::GradientAccumulation>(
      "GradientAccumulation", "one optimizer step from several micro-steps");
}
