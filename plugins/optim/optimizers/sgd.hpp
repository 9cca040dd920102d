// Stochastic gradient descent with momentum, as PyTorch defines it:
//   d = g + weight_decay p;  b = momentum b + (1 - dampening) d (first update: b = d)
//   p -= lr (nesterov ? d + momentum b : b)
#pragma once
#include "grouped_optimizer.hpp"

#include <string>
#include <vector>

namespace marey::optim {

class SGD final : public GroupedOptimizer {
 public:
  struct Params : Grouping {
    double momentum = 0, dampening = 0;
    bool nesterov = false;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit SGD(Params);

 private:
  std::vector<at::Tensor> new_slots(const at::Tensor& param) const override;
  void update(const ParamGroup&, Lists&) override;

  Params p_;
};

}  // namespace marey::optim
