#include "adamw.hpp"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

namespace marey::optim {
namespace {

enum Slot { exp_avg, exp_avg_sq, step_count, max_exp_avg_sq };

std::vector<std::string> slot_names(bool amsgrad) {
  std::vector<std::string> names{"exp_avg", "exp_avg_sq", "step"};
  if (amsgrad) names.emplace_back("max_exp_avg_sq");
  return names;
}

}  // namespace

Schema<AdamW::Params> AdamW::schema() {
  Schema<Grouping> grouping = Grouping::schema();
  for (Field& f : grouping.fields)
    if (f.name == "weight_decay") f.fallback = Params{}.weight_decay;
  return Schema<Params>{}
      .include(std::move(grouping))
      .arg<&Params::betas>(
          {.doc = "decay rates of the averages of the gradient and of its square", .min = 0, .max = 1})
      .arg<&Params::eps>({.doc = "added to the denominator", .min = 0})
      .arg<&Params::amsgrad>({.doc = "divide by the largest average of squares so far"});
}

std::string AdamW::check(const Params& p) {
  if (p.betas[0] >= 1 || p.betas[1] >= 1) return "betas must be below 1";
  return Grouping::check(p);
}

AdamW::AdamW(Params p) : GroupedOptimizer("AdamW", p, slot_names(p.amsgrad)), p_(std::move(p)) {}

std::vector<at::Tensor> AdamW::new_slots(const at::Tensor& param) const {
  std::vector<at::Tensor> slots{at::zeros_like(param), at::zeros_like(param),
                                at::zeros({}, param.options().dtype(at::kFloat).requires_grad(false))};
  if (p_.amsgrad) slots.push_back(at::zeros_like(param));
  return slots;
}

void AdamW::update(const ParamGroup& group, Lists& l) {
  const std::vector<at::Tensor> none;
  at::_foreach_add_(l.slots[step_count], 1);
  at::_fused_adamw_(l.params, l.grads, l.slots[exp_avg], l.slots[exp_avg_sq],
                    p_.amsgrad ? l.slots[max_exp_avg_sq] : none, l.slots[step_count], group.lr, p_.betas[0],
                    p_.betas[1], group.weight_decay, p_.eps, p_.amsgrad,
                    /*maximize=*/false);
}

}  // namespace marey::optim
