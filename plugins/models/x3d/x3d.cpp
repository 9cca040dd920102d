#include "x3d.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace marey {

X3D::X3D(Params params) : params_(std::move(params)) {
  const Params& p = params_;
  if (const std::string wrong = check(p); !wrong.empty()) throw UsageError("X3D: " + wrong);
  const NormOptions norm{.eps = p.norm_eps, .momentum = p.norm_momentum};

  auto stem = register_module("stem", std::make_shared<torch::nn::Module>());
  const std::int64_t stem_width = round_width(p.stem_width, p.width_factor, 1, 1);
  spatial_ = stem->register_module(
      "spatial", std::make_shared<Conv>(Conv::Options{.in = p.in_channels,
                                                      .out = stem_width,
                                                      .kernel = {1, 3, 3},
                                                      .stride = {1, p.stem_stride, p.stem_stride}}));
  temporal_ = stem->register_module(
      "temporal",
      std::make_shared<Conv>(Conv::Options{
          .in = stem_width, .out = stem_width, .kernel = {p.stem_kernel, 1, 1}, .groups = stem_width}));
  norm_ = stem->register_module("bn", batch_norm(stem_width, norm));

  std::int64_t in = stem_width, inner = 0;
  std::int64_t base = p.scale_stage1 ? round_width(p.stem_width, 2, 1, 8) : p.stem_width;
  const auto stages = p.blocks.size();
  for (std::size_t s = 0; s < stages; ++s) {
    if (s > 0) base = round_width(base, 2, 1, 8);
    const std::int64_t out = round_width(base, p.width_factor, 1, 1);
    inner = static_cast<std::int64_t>(p.bottleneck_factor * static_cast<double>(out));
    const auto count =
        p.depth_factor == 0
            ? p.blocks[s]
            : static_cast<std::int64_t>(std::ceil(p.depth_factor * static_cast<double>(p.blocks[s])));
    auto stage = register_module(fmt::format("stage{}", s + 1), std::make_shared<torch::nn::Module>());
    for (std::int64_t b = 0; b < count; ++b) {
      const X3DBlock::Options options{
          .in = in,
          .inner = inner,
          .out = out,
          .groups = p.depthwise ? inner : 1,
          .temporal_kernel = p.temporal_kernels[s],
          .stride = b == 0 ? p.strides[s] : 1,
          .dilation = p.dilations[s],
          .se_ratio = p.se_everywhere || b % 2 == 0 ? p.se_ratio : 0,
          .swish = p.swish,
          .zero_init = p.zero_init,
          .drop_path = p.drop_path * static_cast<double>(s + 2) / static_cast<double>(stages + 1)};
      blocks_.push_back(stage->register_module(std::to_string(b), std::make_shared<X3DBlock>(options, norm)));
      in = out;
    }
  }
  conv5_ =
      register_module("conv5", std::make_shared<ConvUnit>(ConvUnit::Options{.in = in, .out = inner}, norm));
  channels_ = inner;
}

std::vector<at::Tensor> X3D::forward(const at::Tensor& clips) {
  if (clips.dim() != 5 || clips.size(1) != params_.in_channels)
    throw Error(fmt::format("X3D: expected clips [N, {}, T, H, W]; got [{}]", params_.in_channels,
                            fmt::join(clips.sizes(), ", ")));
  if (const std::string wrong = refuses(clips.size(2), clips.size(3), clips.size(4)); !wrong.empty())
    throw UsageError(wrong);
  at::Tensor x = norm_->forward(temporal_->forward(spatial_->forward(clips))).relu_();
  for (const auto& block : blocks_) x = block->forward(x);
  return {conv5_->forward(x)};
}

std::string X3D::refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const {
  (void)frames;
  std::int64_t stride = params_.stem_stride;
  for (const auto s : params_.strides) stride *= s;
  if (height < stride || width < stride)
    return fmt::format(
        "X3D: these strides reduce frames {} times; got frames of {}x{} pixels (width x height), smaller "
        "than "
        "one feature. Take frames of at least {}x{}",
        stride, width, height, stride, stride);
  return {};
}

}  // namespace marey
