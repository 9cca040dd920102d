#include "binary_cross_entropy.hpp"
#include "cross_entropy.hpp"
#include "focal.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("losses", "0.1.0") {
  registry.add<marey::Loss, marey::CrossEntropy>(
      "CrossEntropy", "cross-entropy of one label, or of a distribution over classes");
  registry.add<marey::Loss, marey::BCE>("BCE", "binary cross-entropy of each class, from probabilities");
  registry.add<marey::Loss, marey::BCEWithLogits>("BCEWithLogits",
                                                  "binary cross-entropy of each class, exact for any score");
  registry.add<marey::Loss, marey::Focal>("Focal", "cross-entropy that well classified clips count less in");
}
