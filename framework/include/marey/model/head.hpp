// Turns features into class scores.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace marey {

class Head : public torch::nn::Module {
 public:
  static constexpr std::string_view kind = "head";
  // Told once, before forward(): the channels of each pathway. Creates the layers.
  virtual void connect(const std::vector<std::int64_t>& channels) = 0;
  virtual at::Tensor forward(const std::vector<at::Tensor>& features) = 0;  // logits [N, K]
  virtual std::int64_t num_classes() const = 0;
};

}  // namespace marey
