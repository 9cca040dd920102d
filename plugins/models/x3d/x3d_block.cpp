#include "x3d_block.hpp"

#include <ATen/ops/bernoulli.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <torch/nn/init.h>

#include <algorithm>

namespace marey {

std::int64_t round_width(std::int64_t width, double multiplier, std::int64_t least, std::int64_t divisor) {
  if (multiplier == 0) return width;
  const double exact = static_cast<double>(width) * multiplier;
  const auto nearest =
      static_cast<std::int64_t>(exact + static_cast<double>(divisor) / 2) / divisor * divisor;
  const std::int64_t out = std::max(least, nearest);
  return static_cast<double>(out) < 0.9 * exact ? out + divisor : out;
}

SqueezeExcitation::SqueezeExcitation(std::int64_t channels, double ratio) {
  const std::int64_t inner = round_width(channels, ratio, 8, 8);
  fc1_ = register_module("fc1",
                         std::make_shared<Conv>(Conv::Options{.in = channels, .out = inner, .bias = true}));
  fc2_ = register_module("fc2",
                         std::make_shared<Conv>(Conv::Options{.in = inner, .out = channels, .bias = true}));
}

at::Tensor SqueezeExcitation::forward(const at::Tensor& x) {
  return x * fc2_->forward(fc1_->forward(x.mean({2, 3, 4}, true)).relu_()).sigmoid();
}

X3DBlock::X3DBlock(const Options& o, const NormOptions& norm) : options_(o) {
  const auto unit = [&](const char* name, const ConvUnit::Options& options) {
    return register_module(name, std::make_shared<ConvUnit>(options, norm));
  };
  const Extent stride{1, o.stride, o.stride};
  a_ = unit("a", {.in = o.in, .out = o.inner});
  b_ = unit("b", {.in = o.inner,
                  .out = o.inner,
                  .kernel = {o.temporal_kernel, 3, 3},
                  .stride = stride,
                  .spatial_dilation = o.dilation,
                  .groups = o.groups,
                  .relu = false});
  if (o.se_ratio > 0) se_ = register_module("se", std::make_shared<SqueezeExcitation>(o.inner, o.se_ratio));
  c_ = unit("c", {.in = o.inner, .out = o.out, .relu = false});
  if (o.in != o.out || o.stride != 1)
    shortcut_ = unit("shortcut", {.in = o.in, .out = o.out, .stride = stride, .relu = false});
  if (o.zero_init) torch::nn::init::zeros_(c_->bn->weight);
}

at::Tensor X3DBlock::forward(const at::Tensor& x) {
  at::Tensor y = b_->forward(a_->forward(x));
  if (se_) y = se_->forward(y);
  y = c_->forward(options_.swish ? at::silu(y) : y.relu());
  if (is_training() && options_.drop_path > 0) {
    const double keep = 1 - options_.drop_path;
    y = y * (at::empty({y.size(0), 1, 1, 1, 1}, y.options().requires_grad(false)).bernoulli_(keep) / keep);
  }
  return y.add_(shortcut_ ? shortcut_->forward(x) : x).relu_();
}

}  // namespace marey
