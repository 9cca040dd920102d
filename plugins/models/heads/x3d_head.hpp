// Class scores from the features of X3D.
#pragma once
#include "windows.hpp"

#include <marey/core/schema.hpp>
#include <marey/model/conv_unit.hpp>
#include <marey/model/head.hpp>

#include <torch/nn/modules/linear.h>

#include <memory>

namespace marey {

// Pooling, a hidden layer without bias, ReLU, dropout, a linear layer.
// Names of the state: fc1.weight [D, C, 1, 1, 1], fc1_bn.* (where `hidden_norm`), fc.weight [K, D], fc.bias
// [K].
class X3DHead : public Head {
 public:
  struct Params {
    std::int64_t num_classes = 400;
    std::int64_t hidden = 2048;
    bool hidden_norm = false;
    double dropout = 0.5;
    std::int64_t pool_size = 0;
    Activation activation = Activation::softmax;
    double init_std = 0.01;
  };
  static Schema<Params> schema();

  explicit X3DHead(Params params) : params_(params) {}
  void connect(const std::vector<std::int64_t>& channels) override;
  // one [N, C, T, H, W] → logits [N, K]
  at::Tensor forward(const std::vector<at::Tensor>& features) override;
  std::int64_t num_classes() const override { return params_.num_classes; }

 private:
  Params params_;
  std::int64_t channels_ = 0;
  std::shared_ptr<Conv> fc1_;
  torch::nn::BatchNorm3d norm_{nullptr};
  torch::nn::Linear fc_{nullptr};
};

}  // namespace marey
