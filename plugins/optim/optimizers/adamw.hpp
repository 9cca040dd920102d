// Adam with decoupled weight decay, as PyTorch defines it (Loshchilov and Hutter, "Decoupled weight decay
// regularization", 2019):
//   p *= 1 - lr weight_decay;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g²
//   p -= lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)        with amsgrad: the largest v so far
#pragma once
#include "grouped_optimizer.hpp"

#include <array>
#include <string>
#include <vector>

namespace marey::optim {

class AdamW final : public GroupedOptimizer {
 public:
  struct Params : Grouping {
    Params() { lr = 1e-3, weight_decay = 0.01; }
    std::array<double, 2> betas{0.9, 0.999};
    double eps = 1e-8;
    bool amsgrad = false;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit AdamW(Params);

 private:
  std::vector<at::Tensor> new_slots(const at::Tensor& param) const override;
  void update(const ParamGroup&, Lists&) override;

  Params p_;
};

}  // namespace marey::optim
