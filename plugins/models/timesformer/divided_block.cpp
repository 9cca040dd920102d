#include "divided_block.hpp"

#include "residual.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mean.h>
#include <torch/nn/init.h>

namespace marey {

DividedBlock::DividedBlock(const TransformerOptions& o, double drop_path, Grouping grouping)
    : TransformerBlock(o, drop_path), grouping_(grouping) {
  temporal_norm1_ = register_module(
      "temporal_norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({o.dim}).eps(o.norm_eps)));
  temporal_attn_ = register_module("temporal_attn", std::make_shared<Attention>(o));
  temporal_fc_ = register_module("temporal_fc", torch::nn::Linear(o.dim, o.dim));
}

void DividedBlock::zero_temporal() {
  torch::nn::init::zeros_(temporal_fc_->weight);
  torch::nn::init::zeros_(temporal_fc_->bias);
}

DividedBlock::Tokens DividedBlock::forward(const Tokens& tokens, bool cls_only) {
  return network(attend_space({tokens.cls, attend_time(tokens.patches)}, cls_only), cls_only);
}

at::Tensor DividedBlock::attend_time(const at::Tensor& patches) {
  const std::int64_t clips = patches.size(0), places = patches.size(1), frames = patches.size(2),
                     dim = patches.size(3), groups = grouping_.groups, length = frames / groups;
  at::Tensor x = temporal_norm1_->forward(patches);
  if (interleaved()) x = x.view({clips * places, length, groups, dim}).transpose(1, 2);
  x = temporal_attn_->forward(x.reshape({clips * places * groups, length, dim}));
  if (interleaved()) x = x.view({clips * places, groups, length, dim}).transpose(1, 2).reshape({-1, dim});
  if (is_training() && drop_path_ > 0)
    x = drop_path(x.view({clips, places, frames, dim}), 2, drop_path_, true).view({-1, dim});
  return add_rows(patches, temporal_fc_->forward(x));
}

DividedBlock::Tokens DividedBlock::attend_space(const Tokens& tokens, bool cls_only) {
  const auto& [cls, patches] = tokens;
  const std::int64_t clips = patches.size(0), places = patches.size(1), frames = patches.size(2),
                     dim = patches.size(3), groups = grouping_.groups, length = places / groups;
  // Places as [G, N/G] or [N/G, G], and the order that makes [B, T, G, N/G, D] of them.
  const auto cut = [&](const at::Tensor& x) {
    return interleaved() ? x.view({clips, length, groups, frames, dim})
                         : x.view({clips, groups, length, frames, dim});
  };
  at::Tensor x = cut(norm1_->forward(patches));
  x = interleaved() ? x.permute({0, 3, 2, 1, 4}) : x.permute({0, 3, 1, 2, 4});
  const at::Tensor shared = norm1_->forward(cls).view({clips, 1, 1, 1, dim});
  x = at::cat({shared.expand({clips, frames, groups, 1, dim}), x}, 3);
  at::Tensor rows = attn_->forward(x.view({-1, 1 + length, dim}), cls_only ? 1 : 0);
  x = drop_path(rows.view({clips, frames, groups, cls_only ? 1 : 1 + length, dim}), 2, drop_path_,
                is_training());

  const auto type = at::isReducedFloatingType(x.scalar_type()) ? at::kFloat : x.scalar_type();
  Tokens out;
  out.cls = cls + x.select(3, 0).mean({1, 2}, false, type).unsqueeze(1);
  if (cls_only) return out;
  x = x.narrow(3, 1, length);
  x = interleaved() ? x.permute({0, 3, 2, 1, 4}) : x.permute({0, 2, 3, 1, 4});
  out.patches = (cut(patches) + x).view(patches.sizes());
  return out;
}

DividedBlock::Tokens DividedBlock::network(const Tokens& tokens, bool cls_only) {
  at::Tensor x = norm2_->forward(tokens.cls);
  if (!cls_only) x = at::cat({x, norm2_->forward(tokens.patches).flatten(1, 2)}, 1);
  x = drop_path(mlp_->forward(x).view(x.sizes()), 1, drop_path_, is_training());
  Tokens out{.cls = tokens.cls + x.narrow(1, 0, 1), .patches = {}};
  if (!cls_only) out.patches = tokens.patches + x.narrow(1, 1, x.size(1) - 1).view(tokens.patches.sizes());
  return out;
}

}  // namespace marey
