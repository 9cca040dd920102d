#include "multi_step.hpp"

#include <algorithm>
#include <cmath>

namespace marey::optim {

Schema<MultiStep::Params> MultiStep::schema() {
  return Schema<Params>{}
      .include(WarmUp::schema())
      .arg<&Params::milestones>({.doc = "epochs from which the factor is multiplied once more",
                                 .unit = "epochs",
                                 .min = 0,
                                 .required = true})
      .arg<&Params::gamma>({.doc = "what it is multiplied by", .min = 0});
}

std::string MultiStep::check(const Params& p) {
  if (p.milestones.empty()) return "milestones is empty; expected at least one epoch";
  if (std::adjacent_find(p.milestones.begin(), p.milestones.end(), std::greater_equal<>()) !=
      p.milestones.end())
    return "milestones must rise";
  return WarmUp::check(p);
}

double MultiStep::factor(const Progress& progress) const {
  const double per_epoch = p_.by_epoch ? 1 : static_cast<double>(progress.steps_per_epoch);
  return p_.apply(p_.place(progress), [&](double position) {
    const auto passed = std::count_if(p_.milestones.begin(), p_.milestones.end(),
                                      [&](double epoch) { return position >= epoch * per_epoch; });
    return std::pow(p_.gamma, static_cast<double>(passed));
  });
}

}  // namespace marey::optim
