#include "mean_class_accuracy.hpp"
#include "top_k.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("metrics", "0.1.0") {
  using namespace marey::datasets;
  registry.add<marey::Metric, MeanClassAccuracy>("MeanClassAccuracy",
                                                 "accuracy with every class of equal weight");
  registry.add<marey::Metric, TopK>("TopK", "share of samples whose label is among the k best scores");
}
