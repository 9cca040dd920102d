// A 3D ResNet: alone, or one of the two of SlowFast.
#pragma once
#include "nonlocal_block.hpp"
#include "residual_block.hpp"

#include <string>
#include <vector>

namespace marey {

// Names of the state: stem (a ConvUnit), stage1 … stageN, each with blocks 0, 1, … and nonlocal0, nonlocal1,
// … after the blocks of these numbers.
class Pathway : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t in = 3;
    std::int64_t stem_width = 64, stem_kernel = 1;  // kernel: temporal; 7×7 in space
    std::int64_t stem_stride = 2, pool_stride = 2;  // spatial; pool 1: none
    std::int64_t stem_temporal_stride = 1, pool_temporal_stride = 1;
    bool pool_padding = true;
    std::int64_t stage1_pool = 1;  // max pooling over so many frames after the first stage
    std::vector<std::int64_t> widths, blocks, strides, dilations, temporal_strides,
        temporal_blocks;                                      // one a stage
    std::vector<std::vector<std::int64_t>> temporal_kernels;  // of each stage, repeated over its blocks
    std::vector<std::int64_t> lateral_channels;               // added to each stage's input
    ResidualBlock::Options block;  // type, groups and places; the rest is filled in
    NonLocal nonlocal;
  };
  Pathway(const Options&, const NormOptions&);

  at::Tensor stem(const at::Tensor& clips);                  // [N, C, T, H, W] → [N, C_0, T, H/4, W/4]
  at::Tensor stage(std::size_t index, const at::Tensor& x);  // counted from 0
  const std::vector<std::int64_t>& channels() const {
    return channels_;
  }  // out of the stem and of each stage

  // Empty, or why clips of this length and size do not fit.
  std::string problem(std::int64_t frames, std::int64_t height, std::int64_t width) const;

 private:
  struct Step {
    std::shared_ptr<ResidualBlock> block;
    std::shared_ptr<NonLocalBlock> nonlocal;  // may be none
  };
  at::Tensor pool(const at::Tensor& x) const;

  Options options_;
  std::shared_ptr<ConvUnit> stem_;
  std::vector<std::vector<Step>> stages_;
  std::vector<std::int64_t> channels_;
};

}  // namespace marey
