// The parameters of SlowFast: their meaning, and what fits together.
#include "slowfast_params.hpp"

#include "depths.hpp"
#include "slowfast.hpp"
#include "stage_lists.hpp"

#include <fmt/format.h>

#include <cmath>

namespace marey {

Schema<SlowFast::Params> SlowFast::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::depth>({.doc = "blocks per stage of a ResNet of this depth: 18, 34 (basic blocks), 50, 101 or "
                              "152 (bottlenecks)"})
      .arg<&P::blocks>({.doc = "blocks of each stage, instead of those of `depth`", .min = 1})
      .arg<&P::block>(
          {.doc = "kind of block, instead of that of `depth`; a bottleneck puts out four times its width"})
      .arg<&P::fast_depth>({.doc = "depth of the fast pathway, instead of `depth` or `blocks`"})
      .arg<&P::alpha>({.doc = "frame-rate ratio of the fast to the slow pathway", .min = 1})
      .arg<&P::beta>({.doc = "channel ratio of the fast to the slow pathway", .min = 0, .max = 1})
      .arg<&P::stem_width>({.doc = "channels of the slow stem", .min = 1})
      .arg<&P::widths>({.doc = "inner channels of each slow stage", .min = 1})
      .arg<&P::fast_stem_width>({.doc = "channels of the fast stem, instead of stem_width · beta", .min = 1})
      .arg<&P::fast_widths>({.doc = "inner channels of each fast stage, instead of widths · beta", .min = 1})
      .arg<&P::stem_kernel>(
          {.doc = "temporal kernel of the slow stem (7×7 in space), odd", .unit = "frames", .min = 1})
      .arg<&P::fast_stem_kernel>(
          {.doc = "temporal kernel of the fast stem (7×7 in space), odd", .unit = "frames", .min = 1})
      .arg<&P::temporal_kernels>(
          {.doc = "temporal kernel of the first convolution of a block, for each slow stage, odd",
           .unit = "frames",
           .min = 1})
      .arg<&P::fast_temporal_kernels>({.doc = "the same for each fast stage", .unit = "frames", .min = 1})
      .arg<&P::temporal_blocks>({.doc = "how many blocks of each stage, counted from its first, have the "
                                        "temporal kernel (the others: 1); empty: all",
                                 .min = 0})
      .arg<&P::fast_temporal_blocks>(
          {.doc = "the same for each fast stage; empty: as `temporal_blocks`", .min = 0})
      .arg<&P::temporal_in_both>(
          {.doc = "basic blocks: the second convolution has the temporal kernel too, as in MMAction2"})
      .arg<&P::stem_stride>({.doc = "spatial stride of the stems", .unit = "pixels", .min = 1})
      .arg<&P::pool_stride>(
          {.doc = "spatial stride of the 3×3 max pooling after the stems; 1 leaves the pooling out",
           .min = 1})
      .arg<&P::strides>({.doc = "spatial stride of each stage", .min = 1})
      .arg<&P::dilations>({.doc = "spatial dilation of each stage", .min = 1})
      .arg<&P::strided>({.doc = "which convolution of a bottleneck has the stride: \"second\", or \"first\" "
                                "(PySlowFast's STRIDE_1X1, MMAction2's caffe style)"})
      .arg<&P::dilated>({.doc = "which convolution of a basic block is dilated: \"second\" (PySlowFast) or "
                                "\"first\" (MMAction2)"})
      .arg<&P::nonlocal>({.doc = "non-local blocks of the slow pathway"})
      .arg<&P::fast_nonlocal>({.doc = "non-local blocks of the fast pathway"})
      .arg<&P::fusion_kernel>(
          {.doc = "temporal kernel of the lateral convolutions, odd", .unit = "frames", .min = 1})
      .arg<&P::fusion_ratio>({.doc = "channels of a lateral connection for each fast channel", .min = 1})
      .arg<&P::lateral_norm>({.doc = "lateral convolutions are followed by batch norm and ReLU (PySlowFast, "
                                     "PyTorchVideo), or by nothing (MMAction2)"})
      .arg<&P::slow_index>(
          {.doc =
               "frames of the slow pathway: \"linspace\" spreads them from the first to the last frame, "
               "rounded down (PySlowFast, PyTorchVideo); \"stride\" takes 0, alpha, 2·alpha, … (MMAction2)"})
      .arg<&P::zero_init>(
          {.doc = "the last norm of each block starts with weight 0, so that blocks start as the identity"})
      .arg<&P::norm_eps>({.doc = "added to variances in batch norm", .min = 0})
      .arg<&P::norm_momentum>(
          {.doc = "weight of a batch in the running mean and variance of batch norm", .min = 0, .max = 1})
      .arg<&P::in_channels>({.doc = "channels of a clip", .min = 1});
}

std::string SlowFast::check(const Params& p) {
  const auto blocks = stage_blocks(p), fast_blocks = fast_stage_blocks(p);
  if (blocks.empty()) return unknown_depth(p.depth);
  if (fast_blocks.empty()) return "fast_" + unknown_depth(*p.fast_depth);
  const auto stages = blocks.size();
  if (fast_blocks.size() != stages)
    return fmt::format("`fast_depth` gives {} stages, `blocks` {}; both pathways need the same number",
                       fast_blocks.size(), stages);
  std::vector<std::string> problems{
      wrong_length("widths", p.widths, stages),
      wrong_length("fast_widths", p.fast_widths, stages, true),
      wrong_length("temporal_kernels", p.temporal_kernels, stages),
      wrong_length("fast_temporal_kernels", p.fast_temporal_kernels, stages),
      wrong_length("temporal_blocks", p.temporal_blocks, stages, true),
      wrong_length("fast_temporal_blocks", p.fast_temporal_blocks, stages, true),
      wrong_length("strides", p.strides, stages),
      wrong_length("dilations", p.dilations, stages),
      not_odd("stem_kernel", p.stem_kernel),
      not_odd("fast_stem_kernel", p.fast_stem_kernel),
      not_odd("fusion_kernel", p.fusion_kernel),
      p.nonlocal.check("nonlocal", blocks),
      p.fast_nonlocal.check("fast_nonlocal", fast_blocks)};
  for (const auto kernel : p.temporal_kernels) problems.push_back(not_odd("temporal_kernels", kernel));
  for (const auto kernel : p.fast_temporal_kernels)
    problems.push_back(not_odd("fast_temporal_kernels", kernel));
  if (p.beta == 0 && (p.fast_widths.empty() || !p.fast_stem_width))
    problems.push_back(
        "`beta` of 0 leaves the fast pathway without channels; give a larger one, or `fast_widths` and "
        "`fast_stem_width`");
  if (p.strided == Place::both)
    problems.push_back("`strided` is \"first\" or \"second\": both would halve the size twice");
  if (p.dilated == Place::both) problems.push_back("`dilated` is \"first\" or \"second\"");
  return first_of(problems);
}

std::vector<std::int64_t> stage_blocks(const SlowFast::Params& p) {
  return p.blocks.empty() ? blocks_of_depth(p.depth) : p.blocks;
}

std::vector<std::int64_t> fast_stage_blocks(const SlowFast::Params& p) {
  return p.fast_depth ? blocks_of_depth(*p.fast_depth) : stage_blocks(p);
}

std::int64_t fast_width(const SlowFast::Params& p, std::int64_t slow_width) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(slow_width) * p.beta));
}

}  // namespace marey
