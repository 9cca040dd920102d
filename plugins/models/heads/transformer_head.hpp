// Class scores from a transformer's class token.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/model/head.hpp>

#include <torch/nn/modules/linear.h>

namespace marey {

// Names of the state: fc.weight [K, D], fc.bias [K].
class TransformerHead : public Head {
 public:
  struct Params {
    std::int64_t num_classes = 400;
    double dropout = 0;
    double init_std = 0.02;
  };
  static Schema<Params> schema();

  explicit TransformerHead(Params params) : params_(params) {}
  void connect(const std::vector<std::int64_t>& channels) override;
  // one [N, D] → logits [N, K]
  at::Tensor forward(const std::vector<at::Tensor>& features) override;
  std::int64_t num_classes() const override { return params_.num_classes; }

 private:
  Params params_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace marey
