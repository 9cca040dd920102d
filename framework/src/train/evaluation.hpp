// Judges a model on a data set: evaluation mode, no gradients, each sample once.
#pragma once
#include <marey/data/loader.hpp>
#include <marey/train/experiment.hpp>

#include <c10/core/Device.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace marey {

class Evaluator {
 public:
  Evaluator(std::shared_ptr<const Dataset>, const Experiment&, c10::Device, std::string prefix,
            const std::filesystem::path& bad_samples_log = {});

  std::vector<std::string> keys() const;  // what evaluate() gives: "val/top1"

  using Predict = std::function<at::Tensor(const data::Batch&)>;
  // Nothing when `cancelled` said so. The model's mode is as before afterwards. `predict`: what stands in for
  // Model::predict, so that hooks can wrap it.
  std::optional<std::map<std::string, double>> evaluate(Model&, const Predict& predict = {},
                                                        const std::function<bool()>& cancelled = {});

 private:
  c10::Device device_;
  std::string prefix_;  // "val/"
  std::vector<std::shared_ptr<Metric>> metrics_;
  data::Loader loader_;  // kept from one evaluation to the next, so that a bad file is reported once
};

// The loader of a recipe. `training`: shuffled, in batches of loader.batch_size.
data::LoaderOptions loader_options(const Experiment&, bool training);

data::Batch to_device(data::Batch, c10::Device);

}  // namespace marey
