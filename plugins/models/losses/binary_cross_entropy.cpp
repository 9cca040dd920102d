#include "binary_cross_entropy.hpp"

#include "targets.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/log.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sigmoid.h>

namespace marey {

Schema<BinaryParams> BinaryParams::schema() {
  using P = BinaryParams;
  return Schema<P>{}
      .arg<&P::label_smoothing>(
          {.doc = "targets t become (1 - e)·t + e / number of classes", .min = 0, .max = 1})
      .arg<&P::class_weights>(
          {.doc = "weight of each class, in the order of the classes; empty: all 1. The mean is over all "
                  "scores, whatever their weight",
           .min = 0});
}

at::Tensor BCEWithLogits::forward(const at::Tensor& logits, const at::Tensor& labels) const {
  const auto [scores, targets] = labelled(logits, labels, params_.label_smoothing, "BCEWithLogits");
  return at::binary_cross_entropy_with_logits(scores, targets,
                                              class_weights(params_.class_weights, scores, "BCEWithLogits"),
                                              {}, at::Reduction::Mean);
}

at::Tensor BCE::forward(const at::Tensor& logits, const at::Tensor& labels) const {
  const auto [scores, targets] = labelled(logits, labels, params_.label_smoothing, "BCE");
  // Where there is no logarithm, there is no gradient: 0 times infinity would be none either.
  const auto logarithm = [](const at::Tensor& x) {
    const at::Tensor vanished = x.lt(1e-38);
    return at::log(x.masked_fill(vanished, 1)).masked_fill(vanished, -100);
  };
  const at::Tensor p = at::sigmoid(scores);
  at::Tensor loss = -(targets * logarithm(p) + (1 - targets) * logarithm(1 - p));
  if (const at::Tensor weights = class_weights(params_.class_weights, scores, "BCE"); weights.defined())
    loss = loss * weights;
  return loss.mean();
}

}  // namespace marey
