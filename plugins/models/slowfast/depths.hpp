// The ResNets that go by their number of layers.
#pragma once
#include "residual_block.hpp"

#include <cstdint>
#include <vector>

namespace marey {

std::vector<std::int64_t> blocks_of_depth(int depth);  // of each stage; empty: no such ResNet
inline BlockType block_of_depth(int depth) { return depth < 50 ? BlockType::basic : BlockType::bottleneck; }

}  // namespace marey
