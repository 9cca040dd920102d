// The base learning rate throughout, after the warm-up.
#pragma once
#include "warm_up.hpp"

namespace marey::optim {

class Constant final : public Schedule {
 public:
  using Params = WarmUp;
  static Schema<Params> schema() { return WarmUp::schema(); }
  static std::string check(const Params& p) { return WarmUp::check(p); }
  explicit Constant(Params p) : p_(p) {}

  double factor(const Progress& progress) const override {
    return p_.apply(p_.place(progress), [](double) { return 1.0; });
  }

 private:
  Params p_;
};

}  // namespace marey::optim
