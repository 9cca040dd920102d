// What a run trains: everything from a batch to a loss or to scores.
#pragma once
#include <marey/data/batch.hpp>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marey {

struct TrainOutput {
  at::Tensor loss;  // scalar, with its graph
  std::vector<std::pair<std::string, at::Tensor>>
      terms;          // parts of the loss and the like, detached scalars, for the log
  at::Tensor scores;  // logits [N, K], detached
};

class Model : public torch::nn::Module {
 public:
  static constexpr std::string_view kind = "model";
  // Batches come as the loader made them, already on the model's device: uint8 pixels [N, V, C, T, H, W].
  virtual TrainOutput train_step(const data::Batch&) = 0;
  virtual at::Tensor predict(const data::Batch&) = 0;  // float [N, K]: probabilities, views merged
  virtual std::int64_t num_classes() const = 0;
  virtual std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const {
    (void)frames, (void)height, (void)width;
    return {};
  }
};

}  // namespace marey
