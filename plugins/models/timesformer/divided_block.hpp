// A block with attention over time, then over space.
#pragma once
#include "transformer_block.hpp"

namespace marey {

// Divided space-time attention, https://arxiv.org/abs/2102.05095. The class token c and the patches x, N
// places in T frames:
//   time    the T patches of a place are a sequence:  x += temporal_fc(Attention(temporal_norm1(x)))
//   space   the N patches of a frame and c are a sequence; c is in the sequence of every frame, and gets the
//           mean of what the frames give it:          (c, x) += Attention(norm1(c, x))
//   network                                           (c, x) += Mlp(norm2(c, x))
// Stochastic depth leaves out, in time, the branch of a place, in space that of a frame, in the network that
// of a clip.
//
// With G groups every sequence above is cut into G sequences of equal length, between which there is no
// attention: the T/G frames of a group for a place; the N/G patches of a group in a frame, each group with c,
// which gets the mean over frames and groups. So the attention matrices of a sequence of L hold G·(L/G)² =
// L²/G numbers. In even blocks (0, 2, …) a group is a run of neighbours, tokens g·L/G to (g+1)·L/G - 1, the
// patches counted row by row; in odd blocks it has every G-th token: g, g+G, g+2G, … Two blocks together so
// reach every token from every other of its sequence, if L/G ≥ G. With one group nothing is cut.
//
// Names of the state: temporal_norm1, temporal_attn, temporal_fc.{weight [D, D], bias}, and those of
// TransformerBlock.
class DividedBlock : public TransformerBlock {
 public:
  struct Grouping {
    std::int64_t groups = 1;
    bool interleaved = false;  // every G-th token, else neighbours
  };
  struct Tokens {
    at::Tensor cls;      // [B, 1, D]
    at::Tensor patches;  // [B, N, T, D]
  };
  DividedBlock(const TransformerOptions&, double drop_path, Grouping);
  // With cls_only the patches of the result are undefined, and what only they need is left out.
  Tokens forward(const Tokens&, bool cls_only = false);
  void zero_temporal();  // the temporal branch gives 0

 private:
  at::Tensor attend_time(const at::Tensor& patches);
  Tokens attend_space(const Tokens&, bool cls_only);
  Tokens network(const Tokens&, bool cls_only);
  bool interleaved() const { return grouping_.groups > 1 && grouping_.interleaved; }

  Grouping grouping_;
  torch::nn::LayerNorm temporal_norm1_{nullptr};
  std::shared_ptr<Attention> temporal_attn_;
  torch::nn::Linear temporal_fc_{nullptr};
};

}  // namespace marey
