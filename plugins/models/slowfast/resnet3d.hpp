// 3D ResNets of one pathway: SlowOnly, I3D, C2D and their relatives.
#pragma once
#include "pathway.hpp"

#include <marey/core/schema.hpp>
#include <marey/model/backbone.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace marey {

// The defaults are those of SlowOnly, https://arxiv.org/abs/1812.03982: temporal kernels in the last two
// stages. I3D (https://arxiv.org/abs/1705.07750) inflates more of them, C2D none.
//
// Names of the state: those of Pathway.
class ResNet3D : public Backbone {
 public:
  struct Params {
    int depth = 50;
    std::vector<std::int64_t> blocks;
    std::optional<BlockType> block;
    std::int64_t stem_width = 64;
    std::vector<std::int64_t> widths{64, 128, 256, 512};
    std::int64_t groups = 1;
    std::int64_t stem_kernel = 1;
    std::vector<std::vector<std::int64_t>> temporal_kernels{{1}, {1}, {3}, {3}};
    std::vector<std::int64_t> temporal_blocks;
    Place temporal = Place::first;
    std::int64_t stem_stride = 2;
    std::int64_t stem_temporal_stride = 1;
    std::int64_t pool_stride = 2;
    std::int64_t pool_temporal_stride = 1;
    bool pool_padding = true;
    std::int64_t stage1_pool = 1;
    std::vector<std::int64_t> strides{1, 2, 2, 2};
    std::vector<std::int64_t> temporal_strides{1, 1, 1, 1};
    std::vector<std::int64_t> dilations{1, 1, 1, 1};
    Place strided = Place::second;
    Place dilated = Place::second;
    NonLocal nonlocal;
    bool zero_init = true;
    double norm_eps = 1e-5;
    double norm_momentum = 0.1;
    std::int64_t in_channels = 3;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);

  explicit ResNet3D(Params);
  // clips [N, C, T, H, W] → one [N, C_0, T', H/32, W/32]
  std::vector<at::Tensor> forward(const at::Tensor& clips) override;
  std::vector<std::int64_t> out_channels() const override { return {pathway_->channels().back()}; }
  std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const override;

 private:
  Params params_;
  std::shared_ptr<Pathway> pathway_;
};

}  // namespace marey
