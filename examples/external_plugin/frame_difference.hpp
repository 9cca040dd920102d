// Two convolutions over the differences of neighbouring frames: it sees motion and nothing else.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/model/backbone.hpp>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

class FrameDifference final : public marey::Backbone {
 public:
  struct Params {
    std::int64_t width = 16;
  };
  static marey::Schema<Params> schema();
  explicit FrameDifference(Params);

  // [N, 3, T, H, W] → one map [N, 2 * width, T - 1, H / 4, W / 4]
  std::vector<at::Tensor> forward(const at::Tensor& clips) override;
  std::vector<std::int64_t> out_channels() const override { return {2 * params_.width}; }
  std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const override;

 private:
  Params params_;
  torch::nn::Conv3d first_, second_;
  torch::nn::BatchNorm3d first_norm_, second_norm_;
};
