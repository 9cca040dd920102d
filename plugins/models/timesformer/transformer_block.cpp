#include "transformer_block.hpp"

#include "residual.hpp"

namespace marey {

TransformerBlock::TransformerBlock(const TransformerOptions& o, double drop_path) : drop_path_(drop_path) {
  const auto norm = torch::nn::LayerNormOptions({o.dim}).eps(o.norm_eps);
  norm1_ = register_module("norm1", torch::nn::LayerNorm(norm));
  attn_ = register_module("attn", std::make_shared<Attention>(o));
  norm2_ = register_module("norm2", torch::nn::LayerNorm(norm));
  mlp_ = register_module("mlp", std::make_shared<Mlp>(o));
}

at::Tensor TransformerBlock::forward(const at::Tensor& tokens, std::int64_t queries) {
  const auto add = [this](const at::Tensor& x, const at::Tensor& rows) {
    if (!is_training() || drop_path_ == 0) return add_rows(x, rows);
    return x + drop_path(rows.view(x.sizes()), 1, drop_path_, true);
  };
  const at::Tensor wanted = queries == 0 ? tokens : tokens.narrow(1, 0, queries);
  const at::Tensor x = add(wanted, attn_->forward(norm1_->forward(tokens), queries));
  return add(x, mlp_->forward(norm2_->forward(x)));
}

}  // namespace marey
