// What `test` and `predict` work on: a recipe with weights, a run folder, or one of its checkpoints.
#pragma once
#include "app/arguments.hpp"
#include "app/host.hpp"

#include <marey/model/model.hpp>
#include <marey/train/experiment.hpp>

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace marey::app {

struct Subject {
  LoadedRecipe recipe;
  std::filesystem::path weights;  // a checkpoint folder or a weight file, .safetensors or another project's
};

void add_subject_options(Arguments&);
// `overrides` change the recipe. Throws UsageError when there are no weights to be found.
Subject find_subject(const Host&, const Arguments&, const std::vector<std::string>& overrides);

struct LoadedModel {
  std::shared_ptr<Model> model;  // on the device, in evaluation mode, with its weights
  c10::Device device{c10::kCPU};
  std::vector<std::string> class_names;  // that the weights were trained with; may be empty
};
LoadedModel load_model(const Subject&);

}  // namespace marey::app
