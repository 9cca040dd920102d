#include "embedding.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_linear1d.h>
#include <ATen/ops/upsample_nearest1d.h>
#include <ATen/ops/upsample_nearest2d.h>

#include <cmath>

namespace marey {

PatchEmbedding::PatchEmbedding(std::int64_t channels, std::int64_t dim, std::int64_t patch_size) {
  proj_ = register_module(
      "proj", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, dim, patch_size).stride(patch_size)));
}

at::Tensor PatchEmbedding::forward(const at::Tensor& clips) {
  // The frames of channels-last clips lie in memory as a batch of pictures.
  const at::Tensor pictures = clips.permute({0, 2, 1, 3, 4}).flatten(0, 1);
  return proj_->forward(pictures).flatten(2).transpose(1, 2).unflatten(0, {clips.size(0), clips.size(2)});
}

at::Tensor resize_positions(const at::Tensor& embedding, std::int64_t height, std::int64_t width,
                            EmbeddingResize how) {
  const std::int64_t places = embedding.size(1) - 1, dim = embedding.size(2);
  const auto side = std::llround(std::sqrt(static_cast<double>(places)));
  if (side == height && side == width) return embedding;
  const at::Tensor grid = embedding.narrow(1, 1, places).transpose(1, 2).reshape({1, dim, side, side});
  const at::Tensor resized = how == EmbeddingResize::nearest
                                 ? at::upsample_nearest2d(grid, {height, width})
                                 : at::upsample_bilinear2d(grid, {height, width}, false);
  return at::cat({embedding.narrow(1, 0, 1), resized.flatten(2).transpose(1, 2)}, 1);
}

at::Tensor resize_times(const at::Tensor& embedding, std::int64_t frames, EmbeddingResize how) {
  if (embedding.size(1) == frames) return embedding;
  const at::Tensor line = embedding.transpose(1, 2);
  const at::Tensor resized = how == EmbeddingResize::nearest ? at::upsample_nearest1d(line, {frames})
                                                             : at::upsample_linear1d(line, {frames}, false);
  return resized.transpose(1, 2);
}

}  // namespace marey
