#include "focal.hpp"

#include "targets.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sum.h>

namespace marey {

Schema<Focal::Params> Focal::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::alpha>({.doc = "factor of the whole", .min = 0})
      .arg<&P::gamma>({.doc = "how much less well classified clips count; 0: not at all less", .min = 0})
      .arg<&P::activation>({.doc = "\"sigmoid\": each class by itself; \"softmax\": one class a clip"})
      .arg<&P::label_smoothing>(
          {.doc = "targets t become (1 - e)·t + e / number of classes", .min = 0, .max = 1})
      .arg<&P::class_weights>(
          {.doc = "weight of each class, in the order of the classes; empty: all 1", .min = 0});
}

at::Tensor Focal::forward(const at::Tensor& logits, const at::Tensor& labels) const {
  const auto [scores, targets] = labelled(logits, labels, params_.label_smoothing, "Focal");
  const at::Tensor weights = class_weights(params_.class_weights, scores, "Focal");
  at::Tensor loss;
  if (params_.activation == FocalKind::sigmoid) {
    loss = at::binary_cross_entropy_with_logits(scores, targets, {}, {}, at::Reduction::None);
  } else {
    loss = -(targets * at::log_softmax(scores, 1)).sum({1});
  }
  at::Tensor focal = params_.alpha * loss;
  if (params_.gamma > 0) {
    // 1 - exp(-l), exact for small l. At l = 0 the root of a gamma below 1 has no slope: keep off it.
    const at::Tensor miss = -at::expm1(-loss);
    focal = focal * (params_.gamma < 1 ? miss.clamp_min(1e-12) : miss).pow(params_.gamma);
  }
  if (weights.defined())
    focal = focal * (params_.activation == FocalKind::sigmoid ? weights : (targets * weights).sum({1}));
  return focal.mean();
}

}  // namespace marey
