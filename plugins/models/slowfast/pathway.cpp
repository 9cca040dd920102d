#include "pathway.hpp"

#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool3d.h>
#include <fmt/format.h>

#include <string>

namespace marey {

namespace {

constexpr std::int64_t pool_kernel = 3;

std::int64_t reduced(std::int64_t size, std::int64_t stride) { return (size + stride - 1) / stride; }

}  // namespace

Pathway::Pathway(const Options& o, const NormOptions& norm) : options_(o) {
  stem_ = register_module(
      "stem", std::make_shared<ConvUnit>(
                  ConvUnit::Options{.in = o.in,
                                    .out = o.stem_width,
                                    .kernel = {o.stem_kernel, 7, 7},
                                    .stride = {o.stem_temporal_stride, o.stem_stride, o.stem_stride}},
                  norm));
  channels_.push_back(o.stem_width);
  for (std::size_t s = 0; s < o.widths.size(); ++s) {
    auto stage = register_module("stage" + std::to_string(s + 1), std::make_shared<torch::nn::Module>());
    auto& steps = stages_.emplace_back();
    std::int64_t in = channels_.back() + o.lateral_channels[s];
    const auto& kernels = o.temporal_kernels[s];
    for (std::int64_t b = 0; b < o.blocks[s]; ++b) {
      ResidualBlock::Options block = o.block;
      block.in = in;
      block.width = o.widths[s];
      block.temporal_kernel = b < o.temporal_blocks[s] ? kernels[b % kernels.size()] : 1;
      block.temporal_stride = b == 0 ? o.temporal_strides[s] : 1;
      block.stride = b == 0 ? o.strides[s] : 1;
      block.dilation = o.dilations[s];
      Step& step = steps.emplace_back();
      step.block = stage->register_module(std::to_string(b), std::make_shared<ResidualBlock>(block, norm));
      in = o.widths[s] * expansion(o.block.type);
      if (o.nonlocal.after(s, b))
        step.nonlocal = stage->register_module(
            fmt::format("nonlocal{}", b),
            std::make_shared<NonLocalBlock>(NonLocalBlock::Options{.channels = in,
                                                                   .groups = o.nonlocal.groups_of(s),
                                                                   .affinity = o.nonlocal.affinity,
                                                                   .scale = o.nonlocal.scale,
                                                                   .pool = o.nonlocal.pool_of(s),
                                                                   .pool_first = o.nonlocal.pool_first,
                                                                   .out_bias = o.nonlocal.out_bias},
                                            norm));
    }
    channels_.push_back(in);
  }
}

at::Tensor Pathway::stem(const at::Tensor& clips) { return pool(stem_->forward(clips)); }

at::Tensor Pathway::pool(const at::Tensor& features) const {
  const std::int64_t stride = options_.pool_stride, padding = options_.pool_padding ? pool_kernel / 2 : 0;
  const std::int64_t time = options_.pool_temporal_stride;
  const at::Tensor x = time == 1 ? features : features.slice(2, 0, features.size(2), time);
  if (stride == 1) return x;
  if (!x.is_contiguous(at::MemoryFormat::ChannelsLast3d))
    return at::max_pool3d(x, {1, pool_kernel, pool_kernel}, {1, stride, stride}, {0, padding, padding});
  // The frames of channels-last clips lie in memory as a batch of pictures. Pooling in two dimensions is
  // faster, and autocast leaves it in bfloat16.
  const at::Tensor pictures = x.permute({0, 2, 1, 3, 4}).flatten(0, 1);
  return at::max_pool2d(pictures, {pool_kernel, pool_kernel}, {stride, stride}, {padding, padding})
      .unflatten(0, {x.size(0), x.size(2)})
      .permute({0, 2, 1, 3, 4});
}

at::Tensor Pathway::stage(std::size_t index, const at::Tensor& x) {
  at::Tensor y = x;
  for (const Step& step : stages_[index]) {
    y = step.block->forward(y);
    if (step.nonlocal) y = step.nonlocal->forward(y);
  }
  if (const auto time = options_.stage1_pool; index == 0 && time > 1)
    y = at::max_pool3d(y, {time, 1, 1}, {time, 1, 1});
  return y;
}

std::string Pathway::problem(std::int64_t frames, std::int64_t height, std::int64_t width) const {
  const Options& o = options_;
  const auto after_pool = [&](std::int64_t size) {
    size = reduced(size, o.stem_stride);
    if (o.pool_stride == 1) return size;
    return o.pool_padding ? reduced(size, o.pool_stride) : (size - pool_kernel) / o.pool_stride + 1;
  };
  std::int64_t t = reduced(reduced(frames, o.stem_temporal_stride), o.pool_temporal_stride);
  std::int64_t h = after_pool(height), w = after_pool(width), total = o.stem_stride * o.pool_stride;
  for (std::size_t s = 0; s < o.widths.size(); ++s) {
    t = reduced(t, o.temporal_strides[s]), h = reduced(h, o.strides[s]), w = reduced(w, o.strides[s]);
    total *= o.strides[s];
    if (!o.nonlocal.blocks.empty() && !o.nonlocal.blocks[s].empty()) {
      const std::int64_t groups = o.nonlocal.groups_of(s);
      const Extent pool = o.nonlocal.pool_of(s);
      if (t % groups != 0)
        return fmt::format(
            "non-local blocks of stage {} split its {} frames into {} groups of one length: take a clip "
            "length whose {}-th part is a whole number there, or another `nonlocal.groups`",
            s + 1, t, groups, groups);
      if (t / groups < pool[0] || h < pool[1] || w < pool[2])
        return fmt::format(
            "non-local blocks of stage {} pool [{}] features (frames, height, width) but get [{}, {}, {}]: "
            "take longer or larger clips, or a smaller `nonlocal.pool`",
            s + 1, fmt::join(pool, ", "), t / groups, h, w);
    }
    if (s == 0 && o.stage1_pool > 1) {
      if (t < o.stage1_pool)
        return fmt::format(
            "the pooling after stage 1 takes {} frames at once and gets {}: take longer clips, or a smaller "
            "`stage1_pool`",
            o.stage1_pool, t);
      t /= o.stage1_pool;
    }
  }
  if (height < total || width < total)
    return fmt::format(
        "these strides reduce frames {} times; got frames of {}x{} pixels (width x height), smaller than one "
        "feature. Take frames of at least {}x{}",
        total, width, height, total, total);
  return {};
}

}  // namespace marey
