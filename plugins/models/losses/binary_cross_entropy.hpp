// Binary cross-entropy, for clips of several classes.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/model/loss.hpp>

#include <vector>

namespace marey {

struct BinaryParams {
  double label_smoothing = 0;
  std::vector<double> class_weights;
  static Schema<BinaryParams> schema();
};

// The mean over clips and classes of w_k · (-t log σ(s) - (1-t) log(1 - σ(s))), exact for any score.
class BCEWithLogits : public Loss {
 public:
  using Params = BinaryParams;
  static Schema<Params> schema() { return Params::schema(); }

  explicit BCEWithLogits(Params params) : params_(std::move(params)) {}
  at::Tensor forward(const at::Tensor& logits, const at::Tensor& labels) const override;

 private:
  Params params_;
};

// The same from probabilities, as PySlowFast's `bce` has it behind a sigmoid: the logarithm of 0 is -100, and
// there gradients are 0.
class BCE : public Loss {
 public:
  using Params = BinaryParams;
  static Schema<Params> schema() { return Params::schema(); }

  explicit BCE(Params params) : params_(std::move(params)) {}
  at::Tensor forward(const at::Tensor& logits, const at::Tensor& labels) const override;

 private:
  Params params_;
};

}  // namespace marey
