// Pooling of feature maps over the whole clip, or over windows that are classified each.
#pragma once
#include <marey/core/schema.hpp>

#include <ATen/core/Tensor.h>

#include <array>
#include <string_view>
#include <utility>

namespace marey {

// What turns scores into probabilities.
enum class Activation { softmax, sigmoid };
template <>
struct EnumNames<Activation> {
  static constexpr std::array names{std::pair{Activation::softmax, "softmax"},
                                    std::pair{Activation::sigmoid, "sigmoid"}};
};

// [N, C, T, H, W] → [N, C, 1, H', W']: the mean over everything (size 0), or over all frames and windows of
// size × size with stride 1. `head`: whom an error names.
at::Tensor pool_windows(const at::Tensor& feature, std::int64_t size, std::string_view head);

// [N, C, 1, H', W'] → [N, H'·W', C]
at::Tensor window_rows(const at::Tensor& pooled);

// [N, windows, K] → [N, K]: the mean score in training; in evaluation, the score whose probabilities are the
// mean of the windows' probabilities.
at::Tensor merge_windows(const at::Tensor& scores, Activation, bool training);

}  // namespace marey
