#include "slowfast.hpp"

#include "depths.hpp"
#include "slowfast_params.hpp"

#include <marey/core/error.hpp>

#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <fmt/format.h>

#include <utility>

namespace marey {

namespace {

std::string stage_name(std::size_t index) { return index == 0 ? "stem" : fmt::format("stage{}", index); }

}  // namespace

SlowFast::SlowFast(Params params) : params_(std::move(params)) {
  const Params& p = params_;
  if (const std::string wrong = check(p); !wrong.empty()) throw UsageError("SlowFast: " + wrong);
  const NormOptions norm{.eps = p.norm_eps, .momentum = p.norm_momentum};
  const auto blocks = stage_blocks(p);
  const std::size_t stages = blocks.size();

  const auto per_block = [](const std::vector<std::int64_t>& kernels) {
    std::vector<std::vector<std::int64_t>> out;
    for (const auto kernel : kernels) out.push_back({kernel});
    return out;
  };
  const auto either = [](const std::vector<std::int64_t>& given, const std::vector<std::int64_t>& otherwise) {
    return given.empty() ? otherwise : given;
  };

  Pathway::Options options{.in = p.in_channels,
                           .stem_width = p.fast_stem_width.value_or(fast_width(p, p.stem_width)),
                           .stem_kernel = p.fast_stem_kernel,
                           .stem_stride = p.stem_stride,
                           .pool_stride = p.pool_stride,
                           .widths = p.fast_widths,
                           .blocks = fast_stage_blocks(p),
                           .strides = p.strides,
                           .dilations = p.dilations,
                           .temporal_strides = std::vector<std::int64_t>(stages, 1),
                           .temporal_kernels = per_block(p.fast_temporal_kernels),
                           .lateral_channels = std::vector<std::int64_t>(stages, 0),
                           .block = {.type = p.block.value_or(block_of_depth(p.fast_depth.value_or(p.depth))),
                                     .temporal = Place::first,
                                     .strided = p.strided,
                                     .dilated = p.dilated,
                                     .zero_init = p.zero_init},
                           .nonlocal = p.fast_nonlocal};
  if (options.widths.empty())
    for (const auto width : p.widths) options.widths.push_back(fast_width(p, width));
  options.temporal_blocks = either(p.fast_temporal_blocks, either(p.temporal_blocks, options.blocks));
  const auto place = [&p](BlockType type) {
    return p.temporal_in_both && type == BlockType::basic ? Place::both : Place::first;
  };
  options.block.temporal = place(options.block.type);
  auto fast = std::make_shared<Pathway>(options, norm);

  options.stem_width = p.stem_width;
  options.stem_kernel = p.stem_kernel;
  options.widths = p.widths;
  options.blocks = blocks;
  options.block.type = p.block.value_or(block_of_depth(p.depth));
  options.block.temporal = place(options.block.type);
  options.temporal_blocks = either(p.temporal_blocks, blocks);
  options.temporal_kernels = per_block(p.temporal_kernels);
  options.nonlocal = p.nonlocal;
  for (std::size_t s = 0; s < stages; ++s) options.lateral_channels[s] = p.fusion_ratio * fast->channels()[s];
  slow_ = register_module("slow", std::make_shared<Pathway>(options, norm));
  fast_ = register_module("fast", std::move(fast));

  auto lateral = register_module("lateral", std::make_shared<torch::nn::Module>());
  for (std::size_t s = 0; s < stages; ++s)
    laterals_.push_back(lateral->register_module(
        stage_name(s), std::make_shared<ConvUnit>(ConvUnit::Options{.in = fast_->channels()[s],
                                                                    .out = options.lateral_channels[s],
                                                                    .kernel = {p.fusion_kernel, 1, 1},
                                                                    .stride = {p.alpha, 1, 1},
                                                                    .norm = p.lateral_norm,
                                                                    .relu = p.lateral_norm},
                                                  norm)));
}

at::Tensor SlowFast::slow_frames(const at::Tensor& clips) const {
  const std::int64_t frames = clips.size(2), count = frames / params_.alpha;
  if (params_.slow_index == SlowIndex::stride)
    return params_.alpha == 1 ? clips : clips.slice(2, 0, frames, params_.alpha);
  // On the CPU, wherever the clips are, so that rounding is the same everywhere.
  const at::Tensor index =
      at::linspace(0, static_cast<double>(frames - 1), count).to(at::kLong).to(clips.device());
  if (!clips.is_contiguous(at::MemoryFormat::ChannelsLast3d)) return clips.index_select(2, index);
  // index_select forgets the memory format, so it gets the memory as it lies.
  return clips.permute({0, 2, 3, 4, 1}).index_select(1, index).permute({0, 4, 1, 2, 3});
}

std::vector<at::Tensor> SlowFast::forward(const at::Tensor& clips) {
  if (clips.dim() != 5 || clips.size(1) != params_.in_channels)
    throw Error(fmt::format("SlowFast: expected clips [N, {}, T, H, W]; got [{}]", params_.in_channels,
                            fmt::join(clips.sizes(), ", ")));
  if (const std::string wrong = refuses(clips.size(2), clips.size(3), clips.size(4)); !wrong.empty())
    throw UsageError(wrong);

  at::Tensor slow = slow_->stem(slow_frames(clips)), fast = fast_->stem(clips);
  for (std::size_t s = 0; s < laterals_.size(); ++s) {
    slow = slow_->stage(s, at::cat({slow, laterals_[s]->forward(fast)}, 1));
    fast = fast_->stage(s, fast);
  }
  return {std::move(slow), std::move(fast)};
}

std::vector<std::int64_t> SlowFast::out_channels() const {
  return {slow_->channels().back(), fast_->channels().back()};
}

std::string SlowFast::refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const {
  const std::int64_t alpha = params_.alpha;
  if (frames < alpha || frames % alpha != 0) {
    const std::int64_t below = frames / alpha * alpha;
    return fmt::format(
        "SlowFast with alpha = {} needs a number of frames that is a multiple of {}; got {}. Take {} "
        "frames{}, or another alpha",
        alpha, alpha, frames, below + alpha, below > 0 ? fmt::format(" or {}", below) : "");
  }
  for (const auto& [pathway, length] : {std::pair{slow_, frames / alpha}, std::pair{fast_, frames}})
    if (const std::string problem = pathway->problem(length, height, width); !problem.empty())
      return "SlowFast: " + problem;
  return {};
}

}  // namespace marey
