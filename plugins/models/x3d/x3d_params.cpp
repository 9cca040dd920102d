// The parameters of X3D: their meaning, and what fits together.
#include "x3d.hpp"

#include <fmt/format.h>

namespace marey {

Schema<X3D::Params> X3D::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::stem_width>({.doc = "channels of the stem before `width_factor`; the stages have once, twice, "
                                   "four and eight times as many",
                            .min = 1})
      .arg<&P::width_factor>({.doc = "all widths times this, rounded", .min = 0})
      .arg<&P::depth_factor>(
          {.doc = "blocks of each stage times this, rounded up: 2.2 in XS, S and M, 5 in L", .min = 0})
      .arg<&P::bottleneck_factor>({.doc = "inner width of a block / its width, rounded down", .min = 0})
      .arg<&P::scale_stage1>({.doc = "the first stage has twice the stem's width (PySlowFast's SCALE_RES2)"})
      .arg<&P::blocks>({.doc = "blocks of each stage before `depth_factor`", .min = 1})
      .arg<&P::stem_kernel>({.doc = "temporal kernel of the stem, odd", .unit = "frames", .min = 1})
      .arg<&P::temporal_kernels>(
          {.doc = "temporal kernel of the blocks of each stage, odd", .unit = "frames", .min = 1})
      .arg<&P::stem_stride>({.doc = "spatial stride of the stem", .unit = "pixels", .min = 1})
      .arg<&P::strides>({.doc = "spatial stride of each stage", .min = 1})
      .arg<&P::dilations>({.doc = "spatial dilation of each stage", .min = 1})
      .arg<&P::depthwise>({.doc = "a block's 3D convolution sees one channel at a time; false: all"})
      .arg<&P::se_ratio>({.doc = "inner width of squeeze-and-excitation / a block's inner width, rounded to "
                                 "a multiple of 8; 0: none",
                          .min = 0,
                          .max = 1})
      .arg<&P::se_everywhere>({.doc = "each block has squeeze-and-excitation; false: every other one"})
      .arg<&P::swish>({.doc = "swish after the 3D convolution; false: ReLU"})
      .arg<&P::drop_path>({.doc = "probability that a block's branch is left out in training, in full only "
                                  "beyond the last stage: stage s of n has (s + 1) / (n + 1) of it",
                           .min = 0,
                           .max = 0.99})
      .arg<&P::zero_init>(
          {.doc = "the last norm of each block starts with weight 0, so that blocks start as the identity"})
      .arg<&P::norm_eps>({.doc = "added to variances in batch norm", .min = 0})
      .arg<&P::norm_momentum>(
          {.doc = "weight of a batch in the running mean and variance of batch norm", .min = 0, .max = 1})
      .arg<&P::in_channels>({.doc = "channels of a clip", .min = 1});
}

std::string X3D::check(const Params& p) {
  const auto stages = p.blocks.size();
  const auto length = [&](const char* name, const std::vector<std::int64_t>& list) {
    return list.size() == stages ? std::string()
                                 : fmt::format("`{}` needs one entry for each of the {} stages; got {}", name,
                                               stages, list.size());
  };
  for (const auto& wrong : {length("temporal_kernels", p.temporal_kernels), length("strides", p.strides),
                            length("dilations", p.dilations)})
    if (!wrong.empty()) return wrong;
  if (stages == 0) return "`blocks` needs at least one stage";
  for (const auto kernel : p.temporal_kernels)
    if (kernel % 2 == 0)
      return fmt::format("`temporal_kernels` must be odd, so that frames keep their place; got {}", kernel);
  if (p.stem_kernel % 2 == 0)
    return fmt::format("`stem_kernel` must be odd, so that frames keep their place; got {}", p.stem_kernel);
  if (round_width(p.stem_width, p.width_factor, 1, 1) * p.bottleneck_factor < 1)
    return "`bottleneck_factor` leaves blocks without channels; give a larger one";
  return {};
}

}  // namespace marey
