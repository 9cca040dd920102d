// Times gamma at each milestone.
#pragma once
#include "warm_up.hpp"

#include <vector>

namespace marey::optim {

class MultiStep final : public Schedule {
 public:
  struct Params : WarmUp {
    std::vector<double> milestones;  // epochs
    double gamma = 0.1;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit MultiStep(Params p) : p_(std::move(p)) {}

  double factor(const Progress&) const override;

 private:
  Params p_;
};

}  // namespace marey::optim
