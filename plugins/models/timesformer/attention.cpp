#include "attention.hpp"

#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include <cmath>

namespace marey {

Attention::Attention(const TransformerOptions& o) : options_(o) {
  qkv_ =
      register_module("qkv", torch::nn::Linear(torch::nn::LinearOptions(o.dim, 3 * o.dim).bias(o.qkv_bias)));
  proj_ = register_module("proj", torch::nn::Linear(o.dim, o.dim));
}

at::Tensor Attention::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
  const double dropout = is_training() ? options_.attention_dropout : 0;
  if (options_.fused_attention) return at::scaled_dot_product_attention(q, k, v, {}, dropout);
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  const at::Tensor scores = at::matmul(q * scale, k.transpose(2, 3));
  // Powers and sums of bfloat16 scores are taken in float.
  const auto type = at::isReducedFloatingType(scores.scalar_type()) ? at::kFloat : scores.scalar_type();
  at::Tensor weights = at::softmax(scores, 3, type);
  if (dropout > 0) weights = at::dropout(weights, dropout, true);
  return at::matmul(weights.to(v.scalar_type()), v);
}

at::Tensor Attention::forward(const at::Tensor& x, std::int64_t queries) {
  const std::int64_t rows = x.size(0), length = x.size(1), dim = options_.dim, heads = options_.heads;
  const auto split = [&](const at::Tensor& t, std::int64_t tokens, std::int64_t parts) {
    return t.view({rows, tokens, parts, heads, dim / heads}).permute({2, 0, 3, 1, 4});
  };
  at::Tensor out;
  if (queries == 0 || queries == length) {
    queries = length;
    const auto all = split(qkv_->forward(x.reshape({-1, dim})), length, 3).unbind(0);
    out = attend(all[0], all[1], all[2]);
  } else {
    // No queries are made of tokens whose result nobody wants.
    const at::Tensor &weight = qkv_->weight, &bias = qkv_->bias;
    const auto part = [&](const at::Tensor& tokens, std::int64_t begin, std::int64_t size) {
      return at::linear(tokens.reshape({-1, dim}), weight.narrow(0, begin, size),
                        bias.defined() ? bias.narrow(0, begin, size) : bias);
    };
    const at::Tensor q = split(part(x.narrow(1, 0, queries), 0, dim), queries, 1);
    const auto kv = split(part(x, dim, 2 * dim), length, 2).unbind(0);
    out = attend(q[0], kv[0], kv[1]);
  }
  out = proj_->forward(out.transpose(1, 2).reshape({rows * queries, dim}));
  return options_.dropout > 0 ? at::dropout(out, options_.dropout, is_training()) : out;
}

Mlp::Mlp(const TransformerOptions& o) : dropout_(o.dropout) {
  fc1_ = register_module("fc1", torch::nn::Linear(o.dim, o.mlp_dim));
  fc2_ = register_module("fc2", torch::nn::Linear(o.mlp_dim, o.dim));
}

at::Tensor Mlp::forward(const at::Tensor& x) {
  at::Tensor y = at::gelu(fc1_->forward(x.reshape({-1, x.size(-1)})));
  if (dropout_ > 0) y = at::dropout(y, dropout_, is_training());
  y = fc2_->forward(y);
  return dropout_ > 0 ? at::dropout(y, dropout_, is_training()) : y;
}

}  // namespace marey
