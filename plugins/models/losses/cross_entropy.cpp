#include "cross_entropy.hpp"

#include <marey/core/error.hpp>

#include <ATen/TensorOperators.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <limits>

namespace marey {

Schema<CrossEntropy::Params> CrossEntropy::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::label_smoothing>(
          {.doc = "share of each label that is spread evenly over all classes", .min = 0, .max = 1})
      .arg<&P::class_weights>({.doc = "weight of each class, in the order of the classes; empty: all 1. The "
                                      "mean divides by the sum of the labels' weights",
                               .min = 0})
      .arg<&P::soft_mean>(
          {.doc =
               "soft labels: the sum is divided by the sum of all labels and their weights (MMAction2 with "
               "weights), by the number of clips (PySlowFast; MMAction2 without weights), or each clip's "
               "labels by their sum first (PyTorchVideo)"});
}

at::Tensor CrossEntropy::forward(const at::Tensor& logits, const at::Tensor& labels) const {
  const std::int64_t classes = logits.size(1);
  const at::Tensor scores = at::isReducedFloatingType(logits.scalar_type()) ? logits.to(at::kFloat) : logits;
  at::Tensor weights;
  if (!params_.class_weights.empty()) {
    if (static_cast<std::int64_t>(params_.class_weights.size()) != classes)
      throw UsageError(fmt::format(
          "CrossEntropy: class_weights has {} entries, the model has {} classes; give one for each class",
          params_.class_weights.size(), classes));
    weights = at::tensor(params_.class_weights, scores.options().requires_grad(false));
  }
  return labels.is_floating_point() ? soft(scores, labels, weights) : hard(scores, labels, weights);
}

at::Tensor CrossEntropy::hard(const at::Tensor& logits, const at::Tensor& labels,
                              const at::Tensor& weights) const {
  if (labels.dim() != 1 || labels.size(0) != logits.size(0))
    throw Error(fmt::format("CrossEntropy: expected {} labels for scores [{}]; got [{}]", logits.size(0),
                            fmt::join(logits.sizes(), ", "), fmt::join(labels.sizes(), ", ")));
  if (labels.numel() == 0) throw DataError("CrossEntropy: the batch is empty");
  const auto [least, most] = at::aminmax(labels);
  if (most.item<std::int64_t>() < 0)
    throw DataError("CrossEntropy: no clip of the batch has a label. Training needs a list with labels");
  if (most.item<std::int64_t>() >= logits.size(1) || least.item<std::int64_t>() < -1)
    throw DataError(fmt::format(
        "CrossEntropy: labels must lie between 0 and {} (-1: missing); got {}. Does the data set have the "
        "head's num_classes?",
        logits.size(1) - 1,
        least.item<std::int64_t>() < -1 ? least.item<std::int64_t>() : most.item<std::int64_t>()));
  return at::cross_entropy_loss(logits, labels, weights, at::Reduction::Mean, -1, params_.label_smoothing);
}

at::Tensor CrossEntropy::soft(const at::Tensor& logits, const at::Tensor& labels,
                              const at::Tensor& weights) const {
  if (labels.sizes() != logits.sizes())
    throw Error(fmt::format("CrossEntropy: expected soft labels [{}] like the scores; got [{}]",
                            fmt::join(logits.sizes(), ", "), fmt::join(labels.sizes(), ", ")));
  at::Tensor targets = labels.to(logits.scalar_type());
  if (params_.soft_mean == SoftMean::rows)
    targets = targets / targets.sum({1}, true).clamp_min(std::numeric_limits<float>::min());
  at::Tensor total = weights.defined() ? (targets * weights).sum() : targets.sum();
  if (!(total.item<float>() > 0))
    throw DataError("CrossEntropy: no clip of the batch has a label. Training needs a list with labels");
  const double e = params_.label_smoothing;
  if (e > 0) targets = targets * (1 - e) + targets.sum({1}, true) * (e / static_cast<double>(logits.size(1)));
  if (weights.defined()) targets = targets * weights;
  const at::Tensor sum = -(targets * at::log_softmax(logits, 1)).sum();
  return params_.soft_mean == SoftMean::clips ? sum / logits.size(0) : sum / total;
}

}  // namespace marey
