// Turns clips into features.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

class Backbone : public torch::nn::Module {
 public:
  static constexpr std::string_view kind = "backbone";
  // clips [N, C, T, H, W], float, channels-last-3d or contiguous → one feature map per pathway,
  // each [N, C_i, T_i, H_i, W_i] (or [N, C_i] for token models).
  virtual std::vector<at::Tensor> forward(const at::Tensor& clips) = 0;
  virtual std::vector<std::int64_t> out_channels() const = 0;  // C_i
  // Empty, or what is wrong with clips of this length and size, so that `marey check` can say it early.
  virtual std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const {
    (void)frames, (void)height, (void)width;
    return {};
  }
};

}  // namespace marey
