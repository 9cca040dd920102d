#include "sgd.hpp"

#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

namespace marey::optim {

Schema<SGD::Params> SGD::schema() {
  return Schema<Params>{}
      .include(Grouping::schema())
      .arg<&Params::momentum>({.doc = "share of the last update that is kept", .min = 0})
      .arg<&Params::dampening>(
          {.doc = "share of the gradient that the momentum leaves out", .min = 0, .max = 1})
      .arg<&Params::nesterov>({.doc = "look ahead by one momentum step"});
}

std::string SGD::check(const Params& p) {
  if (p.nesterov && (p.momentum <= 0 || p.dampening != 0))
    return "nesterov needs a momentum above 0 and a dampening of 0";
  return Grouping::check(p);
}

SGD::SGD(Params p)
    : GroupedOptimizer(
          "SGD", p,
          p.momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{"momentum_buffer"}),
      p_(std::move(p)) {}

std::vector<at::Tensor> SGD::new_slots(const at::Tensor& param) const {
  if (p_.momentum == 0) return {};
  return {at::zeros_like(param)};
}

void SGD::update(const ParamGroup& group, Lists& l) {
  const std::vector<at::Tensor> none;
  at::_fused_sgd_(l.params, l.grads, l.slots.empty() ? none : l.slots[0], group.weight_decay, p_.momentum,
                  group.lr, p_.dampening, p_.nesterov, /*maximize=*/false, /*is_first_step=*/l.fresh);
}

}  // namespace marey::optim
