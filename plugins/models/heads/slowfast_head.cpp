#include "slowfast_head.hpp"

#include <marey/core/error.hpp>

#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <fmt/format.h>
#include <torch/nn/init.h>

#include <algorithm>
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
      .arg<&P::activation>({.doc = "how the scores of a window become probabilities"})
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

at::Tensor SlowFastHead::forward(const std::vector<at::Tensor>& features) {
  check(features);
  std::vector<at::Tensor> pooled;
  for (const auto& feature : features)
    pooled.push_back(pool_windows(feature, params_.pool_size, "SlowFastHead"));
  if (params_.concat == ConcatOrder::fast_slow) std::ranges::reverse(pooled);
  at::Tensor x = window_rows(at::cat(pooled, 1));  // [N, windows, ΣC]
  if (params_.dropout > 0) x = at::dropout(x, params_.dropout, is_training());
  return merge_windows(fc_->forward(x), params_.activation, is_training());
}

}  // namespace marey
