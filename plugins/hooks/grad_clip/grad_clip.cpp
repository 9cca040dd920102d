#include "grad_clip.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_clamp_max.h>
#include <ATen/ops/_foreach_clamp_min.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace marey::hooks {

Schema<GradClip::Params> GradClip::schema() {
  return Schema<Params>{}
      .arg<&Params::max_norm>(
          {.doc = "scale all gradients down together where their norm exceeds this", .min = 0})
      .arg<&Params::max_value>(
          {.doc = "cut each entry of the gradients to this size; with neither, only measure", .min = 0})
      .arg<&Params::norm_type>({.doc = "l2: root of the sum of squares; inf: the largest size"})
      .arg<&Params::max_skipped>(
          {.doc = "steps in a row with a gradient that is not finite that are skipped before the "
                  "run ends as diverged; 0: end at the first",
           .unit = "steps",
           .min = 0});
}

std::string GradClip::check(const Params& p) {
  if (p.max_norm && p.max_value) return "max_norm and max_value are both given; expected one of them";
  if ((p.max_norm && *p.max_norm == 0) || (p.max_value && *p.max_value == 0))
    return "a limit of 0 would stop all learning";
  return {};
}

namespace {

// The norm of all gradients as of one vector. One kernel per list, one number back.
at::Tensor total_norm(const std::vector<at::Tensor>& gradients, NormType type) {
  const double order = type == NormType::l2 ? 2 : std::numeric_limits<double>::infinity();
  std::vector<at::Tensor> norms = at::_foreach_norm(gradients, order);
  for (at::Tensor& n : norms) n = n.to(norms.front().device(), at::kFloat);
  return at::linalg_vector_norm(at::stack(norms), order);
}

}  // namespace

void GradClip::gradients_ready(Run& run) {
  if (run.overflowed) return;  // thrown away already
  const std::vector<at::Tensor> gradients = run.gradients();
  if (gradients.empty()) return;
  const at::NoGradGuard no_grad;
  const at::Tensor norm = total_norm(gradients, p_.norm_type);
  const double value = norm.item<float>();
  run.scalars["grad_norm"] = value;
  if (!std::isfinite(value)) return refuse(run, value);
  in_a_row_ = 0;
  if (p_.max_norm) {
    // As torch.nn.utils.clip_grad_norm_: the small number keeps 0 / 0 away.
    const double factor = *p_.max_norm / (value + 1e-6);
    if (factor < 1) at::_foreach_mul_(gradients, factor);
  } else if (p_.max_value) {
    at::_foreach_clamp_max_(gradients, *p_.max_value);
    at::_foreach_clamp_min_(gradients, -*p_.max_value);
  }
}

void GradClip::refuse(const Run& run, double norm) {
  bad_ = true;
  ++skipped_;
  const std::string what =
      fmt::format("GradClip: the norm of the gradients after step {} is {}", run.progress.step, norm);
  if (++in_a_row_ > p_.max_skipped)
    throw DivergenceError(fmt::format("{}, the {} in a row; lower optimizer.lr or lengthen the warm-up", what,
                                      in_a_row_ == 1 ? "first" : fmt::format("number {}", in_a_row_)));
  log::warning(what + "; this step is skipped");
}

State GradClip::save() const {
  State state;
  state.values = {{"skipped", skipped_}, {"in_a_row", in_a_row_}};
  return state;
}

void GradClip::load(const State& state) {
  skipped_ = state.values.value("skipped", std::int64_t{0});
  in_a_row_ = state.values.value("in_a_row", std::int64_t{0});
}

}  // namespace marey::hooks
