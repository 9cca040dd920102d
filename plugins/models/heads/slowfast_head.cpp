#include "slowfast_head.hpp"

#include <marey/core/error.hpp>

#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mean.h>
#include <fmt/format.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace marey {

Schema<SlowFastHead::Params> SlowFastHead::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::num_classes>({.doc = "number of classes of the data set", .min = 1, .required = true})
      .arg<&P::dropout>(
          {.doc = "probability that a pooled feature is dropped in training", .min = 0, .max = 1})
      .arg<&P::concat>({.doc = "order of the pathways in the linear layer: \"slow_fast\" (PySlowFast, "
                               "PyTorchVideo) or \"fast_slow\" (MMAction2)"})
      .arg<&P::pool_size>(
          {.doc = "0: features are averaged over the whole clip, then classified. Else: averaged over "
                  "windows of this height and width (stride 1) and all frames, each window "
                  "is classified, and in evaluation the probabilities, in training the scores, are averaged "
                  "over the windows; PySlowFast uses crop size / 32",
           .unit = "features",
           .min = 0})
      .arg<&P::init_std>({.doc = "standard deviation of the linear layer's initial weights", .min = 0});
}

void SlowFastHead::connect(const std::vector<std::int64_t>& channels) {
  channels_ = channels;
  fc_ = register_module("fc",
                        torch::nn::Linear(std::accumulate(channels.begin(), channels.end(), std::int64_t{0}),
                                          params_.num_classes));
  torch::nn::init::normal_(fc_->weight, 0, params_.init_std);
  torch::nn::init::zeros_(fc_->bias);
}

void SlowFastHead::check(const std::vector<at::Tensor>& features) const {
  if (!fc_) throw Error("SlowFastHead: connect() has to tell the channels before forward()");
  const bool same =
      std::ranges::equal(features, channels_, [](const at::Tensor& feature, std::int64_t channels) {
        return feature.dim() == 5 && feature.size(1) == channels;
      });
  if (same) return;
  std::string got;
  for (const auto& feature : features)
    got += fmt::format("{}[{}]", got.empty() ? "" : ", ", fmt::join(feature.sizes(), ", "));
  throw Error(
      fmt::format("SlowFastHead: expected {} feature maps [N, C, T, H, W] with {} channels; got {}. Is "
                  "another backbone in use than the head was connected to?",
                  channels_.size(), fmt::join(channels_, " and "), got));
}

at::Tensor SlowFastHead::pool(const at::Tensor& feature) const {
  // Sums of bfloat16 features are taken in float.
  const auto type = at::isReducedFloatingType(feature.scalar_type()) ? at::kFloat : feature.scalar_type();
  if (params_.pool_size == 0) return feature.mean({2, 3, 4}, true, type);
  const std::int64_t size = params_.pool_size;
  if (feature.size(3) < size || feature.size(4) < size)
    throw UsageError(
        fmt::format("SlowFastHead: pool_size = {} is larger than the features ({}x{}); take larger frames or "
                    "a smaller pool_size",
                    size, feature.size(4), feature.size(3)));
  return at::avg_pool3d(feature.mean({2}, true, type), {1, size, size}, {1, 1, 1});
}

at::Tensor SlowFastHead::forward(const std::vector<at::Tensor>& features) {
  check(features);
  std::vector<at::Tensor> pooled;
  for (const auto& feature : features) pooled.push_back(pool(feature));
  if (params_.concat == ConcatOrder::fast_slow) std::ranges::reverse(pooled);
  at::Tensor x = at::cat(pooled, 1).flatten(2).transpose(1, 2);  // [N, windows, ΣC]
  if (params_.dropout > 0) x = at::dropout(x, params_.dropout, is_training());
  const at::Tensor scores = fc_->forward(x);  // [N, windows, K]
  const std::int64_t windows = scores.size(1);
  if (windows == 1) return scores.squeeze(1);
  if (is_training()) return scores.mean({1});
  // The logarithm of the mean probability: softmax of it is that mean.
  return at::logsumexp(at::log_softmax(scores, 2), {1}) - std::log(static_cast<double>(windows));
}

}  // namespace marey
