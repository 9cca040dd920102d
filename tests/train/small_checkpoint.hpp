// A checkpoint with something of everything.
#pragma once
#include <marey/train/checkpoint.hpp>

#include <ATen/Functions.h>

namespace marey::test {

inline Checkpoint small_checkpoint(std::int64_t step, double value = 0.5) {
  Checkpoint out;
  out.model = {{"layer.weight", at::full({2, 3}, value)}, {"norm.count", at::full({}, step, at::kLong)}};
  out.optimizer.values = {{"kind", "SGD"}};
  out.optimizer.tensors = {{"layer.weight.momentum", at::full({2, 3}, value + 1)}};
  out.hooks["ema"].tensors = {{"layer/weight", at::full({2, 3}, value + 2)}};
  out.hooks["stop"].values = {{"best", 0.25}, {"waited", 3}};
  out.state = {{"step", step}, {"epoch", 4}, {"recipe_hash", "abc"}};
  return out;
}

}  // namespace marey::test
