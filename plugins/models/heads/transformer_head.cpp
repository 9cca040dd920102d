#include "transformer_head.hpp"

#include <marey/core/error.hpp>

#include <ATen/ops/dropout.h>
#include <fmt/format.h>
#include <torch/nn/init.h>

namespace marey {

Schema<TransformerHead::Params> TransformerHead::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::num_classes>({.doc = "number of classes of the data set", .min = 1, .required = true})
      .arg<&P::dropout>({.doc = "probability that a feature is dropped in training", .min = 0, .max = 1})
      .arg<&P::init_std>({.doc = "standard deviation of the linear layer's initial weights", .min = 0});
}

void TransformerHead::connect(const std::vector<std::int64_t>& channels) {
  if (channels.size() != 1)
    throw UsageError(fmt::format(
        "TransformerHead: expected a backbone with one feature for each clip; got one with {} pathways. Take "
        "the head of that backbone, SlowFastHead for example",
        channels.size()));
  fc_ = register_module("fc", torch::nn::Linear(channels[0], params_.num_classes));
  torch::nn::init::normal_(fc_->weight, 0, params_.init_std);
  torch::nn::init::zeros_(fc_->bias);
}

at::Tensor TransformerHead::forward(const std::vector<at::Tensor>& features) {
  if (!fc_) throw Error("TransformerHead: connect() has to tell the channels before forward()");
  const std::int64_t channels = fc_->weight.size(1);
  if (features.size() != 1 || features[0].dim() != 2 || features[0].size(1) != channels) {
    std::string got;
    for (const auto& feature : features)
      got += fmt::format("{}[{}]", got.empty() ? "" : ", ", fmt::join(feature.sizes(), ", "));
    throw UsageError(
        fmt::format("TransformerHead: expected the class tokens [N, {}] of a transformer; got {}. A backbone "
                    "with feature "
                    "maps needs another head, SlowFastHead for example",
                    channels, got));
  }
  const at::Tensor& x = features[0];
  return fc_->forward(params_.dropout > 0 ? at::dropout(x, params_.dropout, is_training()) : x);
}

}  // namespace marey
