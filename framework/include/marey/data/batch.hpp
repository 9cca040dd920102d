// What the loader hands out.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace marey::data {

struct Batch {
  at::Tensor pixels;  // uint8 [N, V, C, T, H, W]: a channels-last view of [N, V, T, H, W, C] memory
  at::Tensor labels;  // int64 [N]; -1 where unlabelled
  std::vector<std::size_t> indices;  // data set index of each row
  std::vector<std::string> sources;
  std::int64_t size() const { return pixels.defined() ? pixels.size(0) : 0; }
};

}  // namespace marey::data
