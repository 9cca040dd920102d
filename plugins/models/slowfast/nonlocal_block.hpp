// Non-local blocks: every place of a clip looks at every other. https://arxiv.org/abs/1711.07971
#pragma once
#include <marey/core/schema.hpp>
#include <marey/model/conv_unit.hpp>

#include <string>
#include <utility>
#include <vector>

namespace marey {

enum class Affinity { softmax, dot_product, gaussian };
template <>
struct EnumNames<Affinity> {
  static constexpr std::array names{std::pair{Affinity::softmax, "softmax"},
                                    std::pair{Affinity::dot_product, "dot_product"},
                                    std::pair{Affinity::gaussian, "gaussian"}};
};

// Which blocks of a network are followed by a non-local one, and of what form.
struct NonLocal {
  std::vector<std::vector<std::int64_t>> blocks;  // of each stage; empty: none
  Affinity affinity = Affinity::softmax;
  bool scale = true;
  std::vector<Extent> pool{{1, 2, 2}};  // one for all stages, or one a stage
  std::vector<std::int64_t> groups{1};  // the same
  bool pool_first = true;
  bool out_bias = true;
  static Schema<NonLocal> schema();

  bool after(std::size_t stage, std::int64_t block) const;
  Extent pool_of(std::size_t stage) const { return pool.size() == 1 ? pool[0] : pool[stage]; }
  std::int64_t groups_of(std::size_t stage) const { return groups.size() == 1 ? groups[0] : groups[stage]; }
  std::string check(const char* name, const std::vector<std::int64_t>& stage_blocks) const;
};

// y = x + BN(out(Σ_j a(θ(x_i), φ(x_j)) · g(x_j))) with C/2 inner channels; keys and values are max-pooled.
//   softmax: a = softmax_j(θ_i·φ_j / √(C/2)), or without the root; gaussian: the same with θ(x) = φ(x) = x;
//   dot_product: a = θ_i·φ_j / (number of j).
// The matrix of all pairs is never kept: softmax runs as fused attention, and the products of dot_product
// are taken in the order that needs less memory.
// Names of the state: theta, phi, g, out (each .weight and .bias), bn.*; a gaussian one has no theta, phi.
class NonLocalBlock : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t channels = 1, groups = 1;
    Affinity affinity = Affinity::softmax;
    bool scale = true;
    Extent pool{1, 2, 2};
    bool pool_first = true, out_bias = true;
  };
  NonLocalBlock(const Options&, const NormOptions&);
  at::Tensor forward(const at::Tensor& x);  // [N, C, T, H, W] → the same

 private:
  at::Tensor pooled(const at::Tensor& x) const;
  at::Tensor whole(const at::Tensor& x);  // without groups

  Options options_;
  std::shared_ptr<Conv> theta_, phi_, g_, out_;
  torch::nn::BatchNorm3d bn_{nullptr};
};

}  // namespace marey
