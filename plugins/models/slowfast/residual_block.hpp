// y = ReLU(branch(x) + shortcut(x)), https://arxiv.org/abs/1512.03385, with the time axis of
// https://arxiv.org/abs/1812.03982
#pragma once
#include "conv_unit.hpp"

#include <marey/core/schema.hpp>

#include <memory>
#include <utility>

namespace marey {

enum class BlockType { basic, bottleneck };
template <>
struct EnumNames<BlockType> {
  static constexpr std::array names{std::pair{BlockType::basic, "basic"},
                                    std::pair{BlockType::bottleneck, "bottleneck"}};
};
constexpr std::int64_t expansion(BlockType type) { return type == BlockType::bottleneck ? 4 : 1; }

// bottleneck: a = T×1×1, b = 1×3×3 (stride and dilation), c = 1×1×1 to four times the width.
// basic: a = T×3×3 (stride), b = 1×3×3 or T×3×3 (dilation).
// Names of the state: a, b, c, shortcut, each a ConvUnit; `shortcut` exists where the shape changes.
class ResidualBlock : public torch::nn::Module {
 public:
  struct Options {
    BlockType type = BlockType::bottleneck;
    std::int64_t in = 1, width = 1;
    std::int64_t temporal_kernel = 1;
    std::int64_t stride = 1, dilation = 1;  // spatial
    bool temporal_in_both = false;          // basic blocks: b has the temporal kernel too
    bool zero_init = true;                  // the branch starts as zero: the block as the identity
  };
  ResidualBlock(const Options&, const NormOptions&);
  at::Tensor forward(const at::Tensor& x);

 private:
  std::shared_ptr<ConvUnit> a_, b_, c_, shortcut_;
};

}  // namespace marey
