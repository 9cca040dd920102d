#include <marey/model/conv_unit.hpp>

#include <ATen/ops/conv3d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/init.h>

namespace marey {

Conv::Conv(const Options& o)
    : stride_(o.stride), dilation_{1, o.spatial_dilation, o.spatial_dilation}, groups_(o.groups) {
  for (std::size_t i = 0; i < 3; ++i) padding_[i] = dilation_[i] * (o.kernel[i] / 2);
  weight_ = register_parameter("weight",
                               at::empty({o.out, o.in / o.groups, o.kernel[0], o.kernel[1], o.kernel[2]}));
  torch::nn::init::kaiming_normal_(weight_, 0, torch::kFanOut, torch::kReLU);
  if (o.bias) bias_ = register_parameter("bias", at::zeros({o.out}));
}

at::Tensor Conv::forward(const at::Tensor& x) const {
  return at::conv3d(x, weight_, bias_, stride_, padding_, dilation_, groups_);
}

ConvUnit::ConvUnit(const Options& o, const NormOptions& norm) : relu_(o.relu) {
  conv_ = register_module("conv", std::make_shared<Conv>(Conv::Options{.in = o.in,
                                                                       .out = o.out,
                                                                       .kernel = o.kernel,
                                                                       .stride = o.stride,
                                                                       .spatial_dilation = o.spatial_dilation,
                                                                       .groups = o.groups}));
  if (o.norm) bn = register_module("bn", batch_norm(o.out, norm));
}

at::Tensor ConvUnit::forward(const at::Tensor& x) {
  at::Tensor y = conv_->forward(x);
  if (bn) y = bn->forward(y);
  // Neither the convolution's nor the norm's gradient needs this output, so it may be overwritten.
  return relu_ ? y.relu_() : y;
}

torch::nn::BatchNorm3d batch_norm(std::int64_t channels, const NormOptions& norm) {
  return torch::nn::BatchNorm3d(torch::nn::BatchNormOptions(channels).eps(norm.eps).momentum(norm.momentum));
}

}  // namespace marey
