#include "cross_entropy.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("losses", "0.1.0") {
  registry.add<marey::Loss, marey::CrossEntropy>(
      "CrossEntropy", "cross-entropy of one label, or of a distribution over classes");
}
