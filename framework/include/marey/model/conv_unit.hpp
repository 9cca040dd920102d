// Convolution, batch norm, ReLU: what 3D convolutional networks are made of.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>

#include <array>
#include <cstdint>
#include <memory>

namespace marey {

using Extent = std::array<std::int64_t, 3>;  // time, height, width

struct NormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
};

// A 3D convolution that keeps its input's size, strides aside. torch::nn::Conv3d would draw its own initial
// weights first, only for them to be replaced.
class Conv : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t in = 1, out = 1;
    Extent kernel{1, 1, 1}, stride{1, 1, 1};
    std::int64_t spatial_dilation = 1, groups = 1;
    bool bias = false;  // starts as 0
  };
  explicit Conv(const Options&);
  at::Tensor forward(const at::Tensor& x) const;  // [N, C, T, H, W] → [N, K, T', H', W']

 private:
  Extent stride_, dilation_, padding_;
  std::int64_t groups_;
  at::Tensor weight_, bias_;
};

// Names of the state: conv.weight and, with a norm,
// bn.{weight,bias,running_mean,running_var,num_batches_tracked}.
class ConvUnit : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t in = 1, out = 1;
    Extent kernel{1, 1, 1}, stride{1, 1, 1};
    std::int64_t spatial_dilation = 1, groups = 1;
    bool norm = true, relu = true;
  };
  ConvUnit(const Options&, const NormOptions&);
  at::Tensor forward(const at::Tensor& x);
  torch::nn::BatchNorm3d bn{nullptr};

 private:
  std::shared_ptr<Conv> conv_;
  bool relu_;
};

torch::nn::BatchNorm3d batch_norm(std::int64_t channels, const NormOptions&);

}  // namespace marey
