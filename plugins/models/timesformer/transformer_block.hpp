// A block of a vision transformer.
#pragma once
#include "attention.hpp"

#include <torch/nn/modules/normalization.h>

#include <memory>

namespace marey {

// x += Attention(norm1(x)); x += Mlp(norm2(x)). Stochastic depth leaves out a branch of a whole sequence.
//
// Names of the state: norm1, attn, norm2, mlp.
class TransformerBlock : public torch::nn::Module {
 public:
  TransformerBlock(const TransformerOptions&, double drop_path);
  // tokens [R, L, D] → the first Q of them [R, Q, D]; queries = 0: Q = L
  at::Tensor forward(const at::Tensor& tokens, std::int64_t queries = 0);

 protected:
  double drop_path_;
  torch::nn::LayerNorm norm1_{nullptr}, norm2_{nullptr};
  std::shared_ptr<Attention> attn_;
  std::shared_ptr<Mlp> mlp_;
};

}  // namespace marey
