// y = ReLU(branch(x) + shortcut(x)), https://arxiv.org/abs/1512.03385, with the time axis of
// https://arxiv.org/abs/1812.03982
#pragma once
#include <marey/core/schema.hpp>
#include <marey/model/conv_unit.hpp>

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

// Which of a block's first two convolutions.
enum class Place { first, second, both };
template <>
struct EnumNames<Place> {
  static constexpr std::array names{std::pair{Place::first, "first"}, std::pair{Place::second, "second"},
                                    std::pair{Place::both, "both"}};
};

// bottleneck: a = 1×1×1, b = 1×3×3, c = 1×1×1 to four times the width. basic: a = 1×3×3, b = 1×3×3.
// The temporal kernel is that of a, of b or of both. A basic block's stride is that of a.
// Names of the state: a, b, c, shortcut, each a ConvUnit; `shortcut` exists where the shape changes.
class ResidualBlock : public torch::nn::Module {
 public:
  struct Options {
    BlockType type = BlockType::bottleneck;
    std::int64_t in = 1, width = 1, groups = 1;  // a bottleneck has width · groups inner channels
    std::int64_t temporal_kernel = 1;
    std::int64_t temporal_stride = 1, stride = 1, dilation = 1;  // the last two: spatial
    Place temporal = Place::first;
    Place strided = Place::second;  // bottleneck
    Place dilated = Place::second;  // basic
    bool zero_init = true;          // the branch starts as zero: the block as the identity
  };
  ResidualBlock(const Options&, const NormOptions&);
  at::Tensor forward(const at::Tensor& x);

 private:
  std::shared_ptr<ConvUnit> a_, b_, c_, shortcut_;
};

}  // namespace marey
