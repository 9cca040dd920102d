#include "residual_block.hpp"

#include <torch/nn/init.h>

namespace marey {

ResidualBlock::ResidualBlock(const Options& o, const NormOptions& norm) {
  const std::int64_t out = o.width * expansion(o.type), inner = o.width * o.groups;
  const std::int64_t ta = o.temporal == Place::second ? 1 : o.temporal_kernel,
                     tb = o.temporal == Place::first ? 1 : o.temporal_kernel;
  const auto unit = [&](const char* name, const ConvUnit::Options& options) {
    return register_module(name, std::make_shared<ConvUnit>(options, norm));
  };
  const Extent stride{o.temporal_stride, o.stride, o.stride}, none{1, 1, 1};
  if (o.type == BlockType::bottleneck) {
    const bool first = o.strided == Place::first;
    a_ = unit("a", {.in = o.in, .out = inner, .kernel = {ta, 1, 1}, .stride = first ? stride : none});
    b_ = unit("b", {.in = inner,
                    .out = inner,
                    .kernel = {tb, 3, 3},
                    .stride = first ? none : stride,
                    .spatial_dilation = o.dilation,
                    .groups = o.groups});
    c_ = unit("c", {.in = inner, .out = out, .relu = false});
  } else {
    const bool first = o.dilated == Place::first;
    a_ = unit("a", {.in = o.in,
                    .out = out,
                    .kernel = {ta, 3, 3},
                    .stride = stride,
                    .spatial_dilation = first ? o.dilation : 1});
    b_ = unit("b", {.in = out,
                    .out = out,
                    .kernel = {tb, 3, 3},
                    .spatial_dilation = first ? 1 : o.dilation,
                    .relu = false});
  }
  if (o.in != out || o.stride != 1 || o.temporal_stride != 1)
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
