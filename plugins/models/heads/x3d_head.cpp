#include "x3d_head.hpp"

#include <marey/core/error.hpp>

#include <ATen/ops/dropout.h>
#include <fmt/format.h>
#include <torch/nn/init.h>

namespace marey {

Schema<X3DHead::Params> X3DHead::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::num_classes>({.doc = "number of classes of the data set", .min = 1, .required = true})
      .arg<&P::hidden>({.doc = "width of the hidden layer", .min = 1})
      .arg<&P::hidden_norm>({.doc = "batch norm after the hidden layer (PySlowFast's BN_LIN5)"})
      .arg<&P::dropout>(
          {.doc = "probability that a hidden feature is dropped in training", .min = 0, .max = 1})
      .arg<&P::pool_size>(
          {.doc =
               "0: features are averaged over the whole clip, then classified. Else: averaged over windows "
               "of this height and width (stride 1) and all frames, each window is classified, and in "
               "evaluation the probabilities, in training the scores, are averaged over the windows; "
               "PySlowFast uses the training crop / 32, rounded up",
           .unit = "features",
           .min = 0})
      .arg<&P::activation>({.doc = "how the scores of a window become probabilities"})
      .arg<&P::init_std>({.doc = "standard deviation of the last layer's initial weights", .min = 0});
}

void X3DHead::connect(const std::vector<std::int64_t>& channels) {
  if (channels.size() != 1)
    throw UsageError(
        fmt::format("X3DHead: expected a backbone with one pathway; got one with {}. Take SlowFastHead",
                    channels.size()));
  channels_ = channels[0];
  fc1_ =
      register_module("fc1", std::make_shared<Conv>(Conv::Options{.in = channels_, .out = params_.hidden}));
  if (params_.hidden_norm) norm_ = register_module("fc1_bn", batch_norm(params_.hidden, {}));
  fc_ = register_module("fc", torch::nn::Linear(params_.hidden, params_.num_classes));
  torch::nn::init::normal_(fc_->weight, 0, params_.init_std);
  torch::nn::init::zeros_(fc_->bias);
}

at::Tensor X3DHead::forward(const std::vector<at::Tensor>& features) {
  if (!fc_) throw Error("X3DHead: connect() has to tell the channels before forward()");
  if (features.size() != 1 || features[0].dim() != 5 || features[0].size(1) != channels_) {
    std::string got;
    for (const auto& feature : features)
      got += fmt::format("{}[{}]", got.empty() ? "" : ", ", fmt::join(feature.sizes(), ", "));
    throw Error(fmt::format("X3DHead: expected features [N, {}, T, H, W]; got {}", channels_, got));
  }
  at::Tensor x = fc1_->forward(pool_windows(features[0], params_.pool_size, "X3DHead"));
  if (norm_) x = norm_->forward(x);
  x = window_rows(x.relu());
  if (params_.dropout > 0) x = at::dropout(x, params_.dropout, is_training());
  return merge_windows(fc_->forward(x), params_.activation, is_training());
}

}  // namespace marey
