#include "residual_block.hpp"

#include <torch/nn/init.h>

namespace marey {

ResidualBlock::ResidualBlock(const Options& o, const NormOptions& norm) {
  const std::int64_t t = o.temporal_kernel, out = o.width * expansion(o.type);
  const auto unit = [&](const char* name, const ConvUnit::Options& options) {
    return register_module(name, std::make_shared<ConvUnit>(options, norm));
  };
  const Extent stride{1, o.stride, o.stride};
  if (o.type == BlockType::bottleneck) {
    a_ = unit("a", {.in = o.in, .out = o.width, .kernel = {t, 1, 1}});
    b_ = unit("b", {.in = o.width,
                    .out = o.width,
                    .kernel = {1, 3, 3},
                    .stride = stride,
                    .spatial_dilation = o.dilation});
    c_ = unit("c", {.in = o.width, .out = out, .relu = false});
  } else {
    a_ = unit("a", {.in = o.in, .out = out, .kernel = {t, 3, 3}, .stride = stride});
    b_ = unit("b", {.in = out,
                    .out = out,
                    .kernel = {o.temporal_in_both ? t : 1, 3, 3},
                    .spatial_dilation = o.dilation,
                    .relu = false});
  }
  if (o.in != out || o.stride != 1)
    shortcut_ = unit("shortcut", {.in = o.in, .out = out, .stride = stride, .relu = false});
  if (o.zero_init) torch::nn::init::zeros_((c_ ? c_ : b_)->bn->weight);
}

at::Tensor ResidualBlock::forward(const at::Tensor& x) {
  at::Tensor y = b_->forward(a_->forward(x));
  if (c_) y = c_->forward(y);
  // y comes out of a norm, whose gradient does not need it.
  return y.add_(shortcut_ ? shortcut_->forward(x) : x).relu_();
}

}  // namespace marey
