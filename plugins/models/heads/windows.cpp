#include "windows.hpp"

#include <marey/core/error.hpp>

#include <ATen/TensorOperators.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mean.h>
#include <fmt/format.h>

#include <cmath>

namespace marey {

at::Tensor pool_windows(const at::Tensor& feature, std::int64_t size, std::string_view head) {
  // Sums of bfloat16 features are taken in float.
  const auto type = at::isReducedFloatingType(feature.scalar_type()) ? at::kFloat : feature.scalar_type();
  if (size == 0) return feature.mean({2, 3, 4}, true, type);
  if (feature.size(3) < size || feature.size(4) < size)
    throw UsageError(
        fmt::format("{}: pool_size = {} is larger than the features ({}x{}); take larger frames or a smaller "
                    "pool_size",
                    head, size, feature.size(4), feature.size(3)));
  return at::avg_pool3d(feature.mean({2}, true, type), {1, size, size}, {1, 1, 1});
}

at::Tensor window_rows(const at::Tensor& pooled) { return pooled.flatten(2).transpose(1, 2); }

at::Tensor merge_windows(const at::Tensor& scores, Activation activation, bool training) {
  const std::int64_t windows = scores.size(1);
  if (windows == 1) return scores.squeeze(1);
  if (training) return scores.mean({1});
  const double log_count = std::log(static_cast<double>(windows));
  const auto log_mean = [&](const at::Tensor& log_probabilities) {
    return at::logsumexp(log_probabilities, {1}) - log_count;
  };
  // The logarithm of the mean probability: softmax of it is that mean. For sigmoid, the odds are needed.
  if (activation == Activation::softmax) return log_mean(at::log_softmax(scores, 2));
  return log_mean(at::log_sigmoid(scores)) - log_mean(at::log_sigmoid(-scores));
}

}  // namespace marey
