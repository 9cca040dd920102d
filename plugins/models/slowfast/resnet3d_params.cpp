// The parameters of ResNet3D: their meaning, and what fits together.
#include "depths.hpp"
#include "resnet3d.hpp"
#include "stage_lists.hpp"

namespace marey {

Schema<ResNet3D::Params> ResNet3D::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::depth>({.doc = "blocks per stage of a ResNet of this depth: 18, 34 (basic blocks), 50, 101 or "
                              "152 (bottlenecks)"})
      .arg<&P::blocks>({.doc = "blocks of each stage, instead of those of `depth`", .min = 1})
      .arg<&P::block>(
          {.doc = "kind of block, instead of that of `depth`; a bottleneck puts out four times its width"})
      .arg<&P::stem_width>({.doc = "channels of the stem", .min = 1})
      .arg<&P::widths>({.doc = "inner channels of each stage", .min = 1})
      .arg<&P::groups>({.doc = "groups of the middle convolution of a bottleneck, which then has so many "
                               "times `widths` channels",
                        .min = 1})
      .arg<&P::stem_kernel>(
          {.doc = "temporal kernel of the stem (7×7 in space), odd", .unit = "frames", .min = 1})
      .arg<&P::temporal_kernels>(
          {.doc = "for each stage, the temporal kernels of its blocks, odd, repeated over all of them: "
                  "[[1], [1], [3], [3]] is SlowOnly, [[3], [3, 1], [3, 1], [1, 3]] I3D, 1 everywhere C2D",
           .unit = "frames",
           .min = 1})
      .arg<&P::temporal_blocks>({.doc = "how many blocks of each stage, counted from its first, have these "
                                        "temporal kernels (the others: 1); empty: all",
                                 .min = 0})
      .arg<&P::temporal>({.doc = "which of the first two convolutions of a block has the temporal kernel: "
                                 "\"first\" (1×1 or 3×3 in space; PySlowFast), \"second\" (MMAction2's 3x3x3 "
                                 "inflation) or \"both\" (MMAction2's basic blocks)"})
      .arg<&P::stem_stride>({.doc = "spatial stride of the stem", .unit = "pixels", .min = 1})
      .arg<&P::stem_temporal_stride>({.doc = "temporal stride of the stem", .unit = "frames", .min = 1})
      .arg<&P::pool_stride>(
          {.doc = "spatial stride of the 3×3 max pooling after the stem; 1 leaves the pooling out",
           .unit = "pixels",
           .min = 1})
      .arg<&P::pool_temporal_stride>({.doc = "temporal stride of that pooling", .unit = "frames", .min = 1})
      .arg<&P::pool_padding>({.doc = "that pooling sees one pixel beyond each border; false: none, as in "
                                     "MMAction2's C2D"})
      .arg<&P::stage1_pool>({.doc = "max pooling over so many frames after the first stage; 2 in I3D and "
                                    "C2D, 1: none",
                             .unit = "frames",
                             .min = 1})
      .arg<&P::strides>({.doc = "spatial stride of each stage", .min = 1})
      .arg<&P::temporal_strides>({.doc = "temporal stride of each stage", .min = 1})
      .arg<&P::dilations>({.doc = "spatial dilation of each stage", .min = 1})
      .arg<&P::strided>({.doc = "which convolution of a bottleneck has the stride: \"second\", or \"first\" "
                                "(PySlowFast's STRIDE_1X1, MMAction2's caffe style)"})
      .arg<&P::dilated>({.doc = "which convolution of a basic block is dilated: \"second\" (PySlowFast) or "
                                "\"first\" (MMAction2)"})
      .arg<&P::nonlocal>({.doc = "non-local blocks"})
      .arg<&P::zero_init>(
          {.doc = "the last norm of each block starts with weight 0, so that blocks start as the identity"})
      .arg<&P::norm_eps>({.doc = "added to variances in batch norm", .min = 0})
      .arg<&P::norm_momentum>(
          {.doc = "weight of a batch in the running mean and variance of batch norm", .min = 0, .max = 1})
      .arg<&P::in_channels>({.doc = "channels of a clip", .min = 1});
}

std::string ResNet3D::check(const Params& p) {
  const auto blocks = p.blocks.empty() ? blocks_of_depth(p.depth) : p.blocks;
  if (blocks.empty()) return unknown_depth(p.depth);
  const auto stages = blocks.size();
  std::vector<std::string> problems{wrong_length("widths", p.widths, stages),
                                    wrong_length("temporal_kernels", p.temporal_kernels, stages),
                                    wrong_length("temporal_blocks", p.temporal_blocks, stages, true),
                                    wrong_length("strides", p.strides, stages),
                                    wrong_length("temporal_strides", p.temporal_strides, stages),
                                    wrong_length("dilations", p.dilations, stages),
                                    not_odd("stem_kernel", p.stem_kernel)};
  for (const auto& kernels : p.temporal_kernels) {
    if (kernels.empty()) problems.emplace_back("`temporal_kernels` needs at least one kernel for each stage");
    for (const auto kernel : kernels) problems.push_back(not_odd("temporal_kernels", kernel));
  }
  const auto type = p.block.value_or(block_of_depth(p.depth));
  if (type == BlockType::basic && p.groups > 1)
    problems.emplace_back("`groups` are for bottlenecks; basic blocks have none");
  if (p.strided == Place::both)
    problems.emplace_back("`strided` is \"first\" or \"second\": both would halve the size twice");
  if (p.dilated == Place::both) problems.emplace_back("`dilated` is \"first\" or \"second\"");
  problems.push_back(p.nonlocal.check("nonlocal", blocks));
  return first_of(problems);
}

}  // namespace marey
