// Clips cut into patches, and the learned embeddings for another size or length.
#pragma once
#include <marey/core/schema.hpp>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include <array>
#include <cstdint>
#include <utility>

namespace marey {

enum class EmbeddingResize { nearest, linear };
template <>
struct EnumNames<EmbeddingResize> {
  static constexpr std::array names{std::pair{EmbeddingResize::nearest, "nearest"},
                                    std::pair{EmbeddingResize::linear, "linear"}};
};

// Names of the state: proj.weight [D, C, P, P], proj.bias.
class PatchEmbedding : public torch::nn::Module {
 public:
  PatchEmbedding(std::int64_t channels, std::int64_t dim, std::int64_t patch_size);
  // clips [B, C, T, H, W] → [B, T, N, D]: N = H/P · W/P patches of each frame, row by row
  at::Tensor forward(const at::Tensor& clips);

 private:
  torch::nn::Conv2d proj_{nullptr};
};

// [1, 1 + S·S, D], the first row for the class token, → [1, 1 + height·width, D]
at::Tensor resize_positions(const at::Tensor& embedding, std::int64_t height, std::int64_t width,
                            EmbeddingResize);
// [1, T', D] → [1, T, D]
at::Tensor resize_times(const at::Tensor& embedding, std::int64_t frames, EmbeddingResize);

}  // namespace marey
