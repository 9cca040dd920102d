#include "nonlocal_block.hpp"

#include <ATen/ops/matmul.h>
#include <ATen/ops/max_pool3d.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <fmt/format.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>

namespace marey {

Schema<NonLocal> NonLocal::schema() {
  return Schema<NonLocal>{}
      .arg<&NonLocal::blocks>(
          {.doc = "for each stage, the blocks (counted from 0) that a non-local block follows, "
                  "[[], [1, 3], [1, 3, 5], []] for example; empty: none anywhere",
           .min = 0})
      .arg<&NonLocal::affinity>({.doc = "weight of one place for another: softmax of a dot product, the dot "
                                        "product itself, or softmax without learned projections"})
      .arg<&NonLocal::scale>({.doc = "softmax: products are divided by the root of the number of channels"})
      .arg<&NonLocal::pool>({.doc = "max pooling [time, height, width] of what is looked at: one entry for "
                                    "all stages, or one for each; [[1, 1, 1]]: none",
                             .min = 1})
      .arg<&NonLocal::groups>({.doc = "runs of frames that do not see each other: one entry for all stages, "
                                      "or one for each",
                               .min = 1})
      .arg<&NonLocal::pool_first>({.doc = "pooling comes before the projections (PySlowFast), or after "
                                          "them (MMAction2)"})
      .arg<&NonLocal::out_bias>({.doc = "the last projection has a bias (PySlowFast), or none (MMAction2)"});
}

bool NonLocal::after(std::size_t stage, std::int64_t block) const {
  return stage < blocks.size() && std::ranges::find(blocks[stage], block) != blocks[stage].end();
}

std::string NonLocal::check(const char* name, const std::vector<std::int64_t>& stage_blocks) const {
  const std::size_t stages = stage_blocks.size();
  if (!blocks.empty() && blocks.size() != stages)
    return fmt::format("`{}.blocks` needs one list for each of the {} stages, or none; got {}", name, stages,
                       blocks.size());
  for (std::size_t s = 0; s < blocks.size(); ++s)
    for (const auto block : blocks[s])
      if (block >= stage_blocks[s])
        return fmt::format("`{}.blocks`: stage {} has blocks 0 to {}; got {}", name, s + 1,
                           stage_blocks[s] - 1, block);
  const auto one_or_each = [&](const char* what, std::size_t size) {
    return size == 1 || size == stages
               ? std::string()
               : fmt::format("`{}.{}` needs one entry, or one for each of the {} stages; got {}", name, what,
                             stages, size);
  };
  if (const auto wrong = one_or_each("pool", pool.size()); !wrong.empty()) return wrong;
  return one_or_each("groups", groups.size());
}

NonLocalBlock::NonLocalBlock(const Options& o, const NormOptions& norm) : options_(o) {
  const std::int64_t inner = std::max<std::int64_t>(1, o.channels / 2);
  const auto conv = [&](const char* name, std::int64_t in, std::int64_t out, bool bias) {
    return register_module(name, std::make_shared<Conv>(Conv::Options{.in = in, .out = out, .bias = bias}));
  };
  if (o.affinity != Affinity::gaussian) {
    theta_ = conv("theta", o.channels, inner, true);
    phi_ = conv("phi", o.channels, inner, true);
  }
  g_ = conv("g", o.channels, inner, true);
  out_ = conv("out", inner, o.channels, o.out_bias);
  bn_ = register_module("bn", batch_norm(o.channels, norm));
  torch::nn::init::zeros_(bn_->weight);  // starts as the identity
}

at::Tensor NonLocalBlock::pooled(const at::Tensor& x) const {
  const Extent& k = options_.pool;
  return k == Extent{1, 1, 1} ? x : at::max_pool3d(x, k, k);
}

at::Tensor NonLocalBlock::whole(const at::Tensor& x) {
  const auto rows = [](const at::Tensor& t) { return t.flatten(2).transpose(1, 2); };  // [N, places, C]
  const auto project = [&](const std::shared_ptr<Conv>& conv, const at::Tensor& seen) {
    if (!conv) return rows(pooled(x));
    return rows(options_.pool_first ? conv->forward(seen) : pooled(conv->forward(seen)));
  };
  const at::Tensor seen = options_.pool_first ? pooled(x) : x;
  const at::Tensor q = rows(theta_ ? theta_->forward(x) : x), k = project(phi_, seen), v = project(g_, seen);
  at::Tensor y;
  if (options_.affinity == Affinity::dot_product) {
    const std::int64_t places = k.size(1), channels = k.size(2);
    // (q kᵀ) v or q (kᵀ v): the matrix in the middle is places × places or channels × channels.
    y = (q.size(1) * places <= channels * channels ? at::matmul(at::matmul(q, k.transpose(1, 2)), v)
                                                   : at::matmul(q, at::matmul(k.transpose(1, 2), v))) /
        static_cast<double>(places);
  } else {
    const double scale = options_.affinity == Affinity::softmax && options_.scale
                             ? 1 / std::sqrt(static_cast<double>(q.size(2)))
                             : 1;
    y = at::scaled_dot_product_attention(q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1), {}, 0, false, scale)
            .squeeze(1);
  }
  const std::int64_t channels = y.size(2);
  const at::Tensor features =
      y.reshape({x.size(0), x.size(2), x.size(3), x.size(4), channels}).permute({0, 4, 1, 2, 3});
  return bn_->forward(out_->forward(features)).add_(x);
}

at::Tensor NonLocalBlock::forward(const at::Tensor& x) {
  const std::int64_t groups = options_.groups;
  if (groups == 1) return whole(x);
  // Time is split, and its runs become clips of their own.
  const at::Tensor runs =
      x.unflatten(2, {groups, x.size(2) / groups}).transpose(1, 2).flatten(0, 1);  // [N·G, C, T/G, H, W]
  return whole(runs).unflatten(0, {x.size(0), groups}).transpose(1, 2).flatten(2, 3);
}

}  // namespace marey
