#include "resnet3d.hpp"

#include "depths.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

namespace marey {

ResNet3D::ResNet3D(Params params) : params_(std::move(params)) {
  const Params& p = params_;
  if (const std::string wrong = check(p); !wrong.empty()) throw UsageError("ResNet3D: " + wrong);
  const auto blocks = p.blocks.empty() ? blocks_of_depth(p.depth) : p.blocks;
  pathway_ = std::make_shared<Pathway>(
      Pathway::Options{.in = p.in_channels,
                       .stem_width = p.stem_width,
                       .stem_kernel = p.stem_kernel,
                       .stem_stride = p.stem_stride,
                       .pool_stride = p.pool_stride,
                       .stem_temporal_stride = p.stem_temporal_stride,
                       .pool_temporal_stride = p.pool_temporal_stride,
                       .pool_padding = p.pool_padding,
                       .stage1_pool = p.stage1_pool,
                       .widths = p.widths,
                       .blocks = blocks,
                       .strides = p.strides,
                       .dilations = p.dilations,
                       .temporal_strides = p.temporal_strides,
                       .temporal_blocks = p.temporal_blocks.empty() ? blocks : p.temporal_blocks,
                       .temporal_kernels = p.temporal_kernels,
                       .lateral_channels = std::vector<std::int64_t>(blocks.size(), 0),
                       .block = {.type = p.block.value_or(block_of_depth(p.depth)),
                                 .groups = p.groups,
                                 .temporal = p.temporal,
                                 .strided = p.strided,
                                 .dilated = p.dilated,
                                 .zero_init = p.zero_init},
                       .nonlocal = p.nonlocal},
      NormOptions{.eps = p.norm_eps, .momentum = p.norm_momentum});
  // The pathway is all there is: its parts are ours, without a name in between.
  for (const auto& part : pathway_->named_children()) register_module(part.key(), part.value());
}

std::vector<at::Tensor> ResNet3D::forward(const at::Tensor& clips) {
  if (clips.dim() != 5 || clips.size(1) != params_.in_channels)
    throw Error(fmt::format("ResNet3D: expected clips [N, {}, T, H, W]; got [{}]", params_.in_channels,
                            fmt::join(clips.sizes(), ", ")));
  if (const std::string wrong = refuses(clips.size(2), clips.size(3), clips.size(4)); !wrong.empty())
    throw UsageError(wrong);
  at::Tensor x = pathway_->stem(clips);
  for (std::size_t s = 0; s < params_.widths.size(); ++s) x = pathway_->stage(s, x);
  return {std::move(x)};
}

std::string ResNet3D::refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const {
  const std::string problem = pathway_->problem(frames, height, width);
  return problem.empty() ? problem : "ResNet3D: " + problem;
}

}  // namespace marey
