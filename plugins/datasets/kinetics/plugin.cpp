#include "rawframe_dataset.hpp"
#include "video_dataset.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("kinetics", "0.1.0") {
  registry.add<marey::Dataset, marey::datasets::RawframeDataset>(
      "RawframeDataset", "folders of numbered pictures with one label each, from a list");
  registry.add<marey::Dataset, marey::datasets::VideoDataset>("VideoDataset",
                                                              "video files with one label each, from a list");
}
