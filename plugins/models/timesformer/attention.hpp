// Attention over the tokens of a sequence, and the network that follows it.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>

namespace marey {

struct TransformerOptions {
  std::int64_t dim = 768;
  std::int64_t heads = 12;
  std::int64_t mlp_dim = 3072;
  bool qkv_bias = true;
  double norm_eps = 1e-6;
  double dropout = 0;
  double attention_dropout = 0;
  bool fused_attention = true;
};

// Both modules return rows, one a token and not a view of anything, so that sums may be taken in place.

// softmax(q·kᵀ / sqrt(D / heads))·v for each head, then a linear layer.
// Names of the state: qkv.weight [3·D, D] (rows of q, k, v), qkv.bias, proj.weight [D, D], proj.bias.
class Attention : public torch::nn::Module {
 public:
  explicit Attention(const TransformerOptions&);
  // x [R, L, D] → [R·Q, D]: the first Q tokens of each of R sequences, drawn from all L; queries = 0: Q = L
  at::Tensor forward(const at::Tensor& x, std::int64_t queries = 0);

 private:
  // [R, heads, Q, d], [R, heads, L, d], [R, heads, L, d] → [R, heads, Q, d]
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

  TransformerOptions options_;
  torch::nn::Linear qkv_{nullptr}, proj_{nullptr};
};

// Names of the state: fc1.weight [M, D], fc1.bias, fc2.weight [D, M], fc2.bias.
class Mlp : public torch::nn::Module {
 public:
  explicit Mlp(const TransformerOptions&);
  // x [R, L, D] → [R·L, D]
  at::Tensor forward(const at::Tensor& x);

 private:
  double dropout_;
  torch::nn::Linear fc1_{nullptr}, fc2_{nullptr};
};

}  // namespace marey
