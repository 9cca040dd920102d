// One of the two 3D ResNets.
#pragma once
#include "residual_block.hpp"

#include <vector>

namespace marey {

// Names of the state: stem (a ConvUnit), stage1 … stageN, each with blocks 0, 1, …
class Pathway : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t in = 3;
    std::int64_t stem_width = 64, stem_kernel = 1;  // kernel: temporal; 7×7 in space
    std::int64_t stem_stride = 2, pool_stride = 2;  // spatial; pool 1: none
    std::vector<std::int64_t> widths, blocks, strides, dilations, temporal_kernels,
        temporal_blocks;                         // one a stage
    std::vector<std::int64_t> lateral_channels;  // added to each stage's input
    BlockType type = BlockType::bottleneck;
    bool temporal_in_both = false, zero_init = true;
  };
  Pathway(const Options&, const NormOptions&);

  at::Tensor stem(const at::Tensor& clips);                  // [N, C, T, H, W] → [N, C_0, T, H/4, W/4]
  at::Tensor stage(std::size_t index, const at::Tensor& x);  // counted from 0
  const std::vector<std::int64_t>& channels() const {
    return channels_;
  }  // out of the stem and of each stage

 private:
  std::shared_ptr<ConvUnit> stem_;
  std::int64_t pool_stride_;
  std::vector<std::vector<std::shared_ptr<ResidualBlock>>> stages_;
  std::vector<std::int64_t> channels_;
};

}  // namespace marey
