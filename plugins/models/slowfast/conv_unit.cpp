#include "conv_unit.hpp"

#include <ATen/ops/conv3d.h>
#include <ATen/ops/empty.h>
#include <torch/nn/init.h>

namespace marey {

Conv::Conv(std::int64_t in, std::int64_t out, Extent kernel, Extent stride, std::int64_t spatial_dilation)
    : stride_(stride), dilation_{1, spatial_dilation, spatial_dilation} {
  for (std::size_t i = 0; i < 3; ++i) padding_[i] = dilation_[i] * (kernel[i] / 2);
  weight_ = register_parameter("weight", at::empty({out, in, kernel[0], kernel[1], kernel[2]}));
  torch::nn::init::kaiming_normal_(weight_, 0, torch::kFanOut, torch::kReLU);
}

at::Tensor Conv::forward(const at::Tensor& x) const {
  return at::conv3d(x, weight_, {}, stride_, padding_, dilation_);
}

ConvUnit::ConvUnit(const Options& o, const NormOptions& norm) : relu_(o.relu) {
  conv_ =
      register_module("conv", std::make_shared<Conv>(o.in, o.out, o.kernel, o.stride, o.spatial_dilation));
  if (o.norm)
    bn = register_module("bn", torch::nn::BatchNorm3d(
                                   torch::nn::BatchNormOptions(o.out).eps(norm.eps).momentum(norm.momentum)));
}

at::Tensor ConvUnit::forward(const at::Tensor& x) {
  at::Tensor y = conv_->forward(x);
  if (bn) y = bn->forward(y);
  // Neither the convolution's nor the norm's gradient needs this output, so it may be overwritten.
  return relu_ ? y.relu_() : y;
}

}  // namespace marey
