#include "pathway.hpp"

#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool3d.h>

#include <string>

namespace marey {

Pathway::Pathway(const Options& o, const NormOptions& norm) : pool_stride_(o.pool_stride) {
  stem_ = register_module(
      "stem", std::make_shared<ConvUnit>(ConvUnit::Options{.in = o.in,
                                                           .out = o.stem_width,
                                                           .kernel = {o.stem_kernel, 7, 7},
                                                           .stride = {1, o.stem_stride, o.stem_stride}},
                                         norm));
  channels_.push_back(o.stem_width);
  for (std::size_t s = 0; s < o.widths.size(); ++s) {
    auto stage = register_module("stage" + std::to_string(s + 1), std::make_shared<torch::nn::Module>());
    auto& blocks = stages_.emplace_back();
    std::int64_t in = channels_.back() + o.lateral_channels[s];
    for (std::int64_t b = 0; b < o.blocks[s]; ++b) {
      const ResidualBlock::Options block{
          .type = o.type,
          .in = in,
          .width = o.widths[s],
          .temporal_kernel = b < o.temporal_blocks[s] ? o.temporal_kernels[s] : 1,
          .stride = b == 0 ? o.strides[s] : 1,
          .dilation = o.dilations[s],
          .temporal_in_both = o.temporal_in_both,
          .zero_init = o.zero_init};
      blocks.push_back(
          stage->register_module(std::to_string(b), std::make_shared<ResidualBlock>(block, norm)));
      in = o.widths[s] * expansion(o.type);
    }
    channels_.push_back(in);
  }
}

at::Tensor Pathway::stem(const at::Tensor& clips) {
  const at::Tensor x = stem_->forward(clips);
  if (pool_stride_ == 1) return x;
  if (!x.is_contiguous(at::MemoryFormat::ChannelsLast3d))
    return at::max_pool3d(x, {1, 3, 3}, {1, pool_stride_, pool_stride_}, {0, 1, 1});
  // The frames of channels-last clips lie in memory as a batch of pictures. Pooling in two dimensions is
  // faster, and autocast leaves it in bfloat16.
  const at::Tensor pictures = x.permute({0, 2, 1, 3, 4}).flatten(0, 1);
  return at::max_pool2d(pictures, {3, 3}, {pool_stride_, pool_stride_}, {1, 1})
      .unflatten(0, {x.size(0), x.size(2)})
      .permute({0, 2, 1, 3, 4});
}

at::Tensor Pathway::stage(std::size_t index, const at::Tensor& x) {
  at::Tensor y = x;
  for (const auto& block : stages_[index]) y = block->forward(y);
  return y;
}

}  // namespace marey
