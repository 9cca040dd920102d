// The sums around the branches of a transformer, and the branches that are left out in training.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace marey {

// Stochastic depth: with probability `rate` an entry of the first `dims` dimensions becomes 0; those that
// stay are divided by 1 - rate. Without training, x itself.
at::Tensor drop_path(const at::Tensor& x, std::int64_t dims, double rate, bool training);

// x + rows, in the shape of x. `rows` [x.numel() / D, D] come fresh from a linear layer, whose gradient does
// not need them: they may become the sum.
at::Tensor add_rows(const at::Tensor& x, at::Tensor rows);

}  // namespace marey
