#include "timesformer.hpp"

#include <marey/core/error.hpp>
#include <marey/model/recompute.hpp>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/nn/init.h>

#include <string>

namespace marey {

TimeSformer::TimeSformer(Params params) : params_(params) {
  const Params& p = params_;
  if (const std::string wrong = check(p); !wrong.empty()) throw UsageError("TimeSformer: " + wrong);
  const std::int64_t side = p.image_size / p.patch_size;
  cls_token_ = register_parameter("cls_token", at::empty({1, 1, p.embed_dim}));
  pos_embed_ = register_parameter("pos_embed", at::empty({1, 1 + side * side, p.embed_dim}));
  if (p.attention_type != SpaceTime::space_only)
    time_embed_ = register_parameter("time_embed", at::zeros({1, p.frames, p.embed_dim}));
  patch_embed_ = register_module("patch_embed",
                                 std::make_shared<PatchEmbedding>(p.in_channels, p.embed_dim, p.patch_size));

  const TransformerOptions options{
      .dim = p.embed_dim,
      .heads = p.num_heads,
      .mlp_dim = static_cast<std::int64_t>(p.mlp_ratio * static_cast<double>(p.embed_dim)),
      .qkv_bias = p.qkv_bias,
      .norm_eps = p.norm_eps,
      .dropout = p.dropout,
      .attention_dropout = p.attention_dropout,
      .fused_attention = p.fused_attention};
  auto blocks = register_module("blocks", std::make_shared<torch::nn::Module>());
  for (std::int64_t i = 0; i < p.depth; ++i) {
    // From 0 in the first block to the whole rate in the last.
    const double rate =
        p.depth > 1 ? p.drop_path * static_cast<double>(i) / static_cast<double>(p.depth - 1) : 0;
    if (is_divided())
      blocks_.push_back(std::make_shared<DividedBlock>(
          options, rate,
          DividedBlock::Grouping{.groups = p.num_attention_groups, .interleaved = i % 2 == 1}));
    else
      blocks_.push_back(std::make_shared<TransformerBlock>(options, rate));
    blocks->register_module(std::to_string(i), blocks_.back());
  }
  norm_ = register_module("norm",
                          torch::nn::LayerNorm(torch::nn::LayerNormOptions({p.embed_dim}).eps(p.norm_eps)));
  initialise();
  freeze();
}

void TimeSformer::initialise() {
  constexpr double std = 0.02;
  torch::nn::init::normal_(cls_token_, 0, std);
  torch::nn::init::normal_(pos_embed_, 0, std);
  for (const auto& module : modules(false))
    if (auto* linear = module->as<torch::nn::Linear>()) {
      torch::nn::init::normal_(linear->weight, 0, std);
      if (linear->bias.defined()) torch::nn::init::zeros_(linear->bias);
    }
  if (is_divided() && params_.zero_init_temporal)
    for (const auto& block : blocks_) std::static_pointer_cast<DividedBlock>(block)->zero_temporal();
}

void TimeSformer::freeze() {
  const auto frozen = [](const std::vector<at::Tensor>& parameters) {
    for (const auto& parameter : parameters) parameter.requires_grad_(false);
  };
  if (params_.frozen_stages >= 0) {
    frozen(parameters(false));
    frozen(patch_embed_->parameters());
  }
  for (std::int64_t i = 0; i < params_.frozen_stages; ++i)
    frozen(blocks_[static_cast<std::size_t>(i)]->parameters());
  if (params_.freeze_spatial_attention)
    for (const auto& item : named_parameters())
      if (item.key().find(".norm1.") != std::string::npos || item.key().find(".attn.") != std::string::npos)
        item.value().requires_grad_(false);
  train(is_training());
}

void TimeSformer::train(bool on) {
  Backbone::train(on);
  for (std::int64_t i = 0; i < params_.frozen_stages; ++i) blocks_[static_cast<std::size_t>(i)]->train(false);
}

at::Tensor TimeSformer::dropped(const at::Tensor& x) const {
  return params_.dropout > 0 && params_.frozen_stages < 0 ? at::dropout(x, params_.dropout, is_training())
                                                          : x;
}

DividedBlock::Tokens TimeSformer::embed(const at::Tensor& clips) {
  const Params& p = params_;
  const std::int64_t batch = clips.size(0), frames = clips.size(2), height = clips.size(3) / p.patch_size,
                     width = clips.size(4) / p.patch_size;
  const at::Tensor positions = resize_positions(pos_embed_, height, width, p.embedding_resize);
  DividedBlock::Tokens out;
  out.cls = dropped(cls_token_ + positions.narrow(1, 0, 1)).expand({batch, 1, p.embed_dim});
  // The sums are taken in the type of the embeddings, not in that of autocast.
  out.patches = patch_embed_->forward(clips).transpose(1, 2).to(positions.scalar_type()).contiguous();
  out.patches = dropped(out.patches + positions.narrow(1, 1, height * width).unsqueeze(2));
  if (time_embed_.defined())
    out.patches = dropped(out.patches + resize_times(time_embed_, frames, p.embedding_resize).unsqueeze(1));
  return out;
}

std::vector<at::Tensor> TimeSformer::run_block(std::size_t index, const std::vector<at::Tensor>& tokens) {
  const bool last = index + 1 == blocks_.size();  // whose patches nobody reads
  const auto run = [this, last,
                    block = blocks_[index]](const std::vector<at::Tensor>& x) -> std::vector<at::Tensor> {
    if (!is_divided()) return {block->forward(x[0], last ? 1 : 0)};
    auto out = std::static_pointer_cast<DividedBlock>(block)->forward({x[0], x[1]}, last);
    if (last) return {out.cls};
    return {out.cls, out.patches};
  };
  if (static_cast<std::int64_t>(index) >= params_.activation_checkpointing) return run(tokens);
  return recompute(run, tokens, blocks_[index]->parameters());
}

at::Tensor TimeSformer::run_divided(const DividedBlock::Tokens& embedded) {
  std::vector<at::Tensor> tokens{embedded.cls, embedded.patches};
  for (std::size_t i = 0; i < blocks_.size(); ++i) tokens = run_block(i, tokens);
  return tokens[0].squeeze(1);
}

at::Tensor TimeSformer::run_plain(const DividedBlock::Tokens& tokens) {
  const std::int64_t batch = tokens.patches.size(0), frames = tokens.patches.size(2), dim = params_.embed_dim;
  const bool single = params_.attention_type == SpaceTime::space_only;  // frames
  at::Tensor x = single ? tokens.patches.transpose(1, 2).flatten(0, 1) : tokens.patches.flatten(1, 2);
  at::Tensor cls =
      single ? tokens.cls.unsqueeze(1).expand({batch, frames, 1, dim}).flatten(0, 1) : tokens.cls;
  x = at::cat({cls, x}, 1);
  for (std::size_t i = 0; i < blocks_.size(); ++i) x = run_block(i, {x})[0];
  return single ? x.view({batch, frames, dim}).mean(1) : x.squeeze(1);
}

std::vector<at::Tensor> TimeSformer::forward(const at::Tensor& clips) {
  if (clips.dim() != 5 || clips.size(1) != params_.in_channels)
    throw Error(fmt::format("TimeSformer: expected clips [N, {}, T, H, W]; got [{}]", params_.in_channels,
                            fmt::join(clips.sizes(), ", ")));
  if (const std::string wrong = refuses(clips.size(2), clips.size(3), clips.size(4)); !wrong.empty())
    throw UsageError(wrong);
  const DividedBlock::Tokens tokens = embed(clips);
  return {norm_->forward(is_divided() ? run_divided(tokens) : run_plain(tokens))};
}

}  // namespace marey
