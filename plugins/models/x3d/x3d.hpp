// X3D, https://arxiv.org/abs/2004.04730
#pragma once
#include "x3d_block.hpp"

#include <marey/core/schema.hpp>
#include <marey/model/backbone.hpp>

#include <memory>
#include <string>
#include <vector>

namespace marey {

// The defaults are those of X3D-S and X3D-M. The stem is a 1×3×3 convolution, then a depthwise one over time;
// each stage has widths and blocks grown by the factors; conv5 is the widening convolution that PySlowFast
// counts as part of its head.
//
// Names of the state: stem.{spatial,temporal}.weight, stem.bn.*, stage1.0 … (X3DBlock), conv5 (a ConvUnit).
class X3D : public Backbone {
 public:
  struct Params {
    std::int64_t stem_width = 12;
    double width_factor = 2;
    double depth_factor = 2.2;
    double bottleneck_factor = 2.25;
    bool scale_stage1 = false;
    std::vector<std::int64_t> blocks{1, 2, 5, 3};
    std::int64_t stem_kernel = 5;
    std::vector<std::int64_t> temporal_kernels{3, 3, 3, 3};
    std::int64_t stem_stride = 2;
    std::vector<std::int64_t> strides{2, 2, 2, 2};
    std::vector<std::int64_t> dilations{1, 1, 1, 1};
    bool depthwise = true;
    double se_ratio = 0.0625;
    bool se_everywhere = false;
    bool swish = true;
    double drop_path = 0;
    bool zero_init = true;
    double norm_eps = 1e-5;
    double norm_momentum = 0.1;
    std::int64_t in_channels = 3;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);

  explicit X3D(Params);
  // clips [N, C, T, H, W] → one [N, C_0, T, H/32, W/32]
  std::vector<at::Tensor> forward(const at::Tensor& clips) override;
  std::vector<std::int64_t> out_channels() const override { return {channels_}; }
  std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const override;

 private:
  Params params_;
  std::shared_ptr<Conv> spatial_, temporal_;
  torch::nn::BatchNorm3d norm_{nullptr};
  std::vector<std::shared_ptr<X3DBlock>> blocks_;
  std::shared_ptr<ConvUnit> conv5_;
  std::int64_t channels_ = 0;
};

}  // namespace marey
