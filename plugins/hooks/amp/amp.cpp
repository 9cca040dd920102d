#include "amp.hpp"

#include "autocast_scope.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

namespace marey::hooks {

Schema<AMP::Params> AMP::schema() {
  return Schema<Params>{}
      .arg<&Params::dtype>({.doc = "type of the forward pass where that is safe; off: float32 throughout"})
      .arg<&Params::loss_scale>(
          {.doc = "float16: a fixed factor on the loss; without it the factor adapts itself", .min = 1e-30})
      .arg<&Params::init_scale>(
          {.doc = "float16: first value of the factor that adapts itself", .min = 1e-30})
      .arg<&Params::growth_factor>({.doc = "float16: times this after growth_interval good steps", .min = 1})
      .arg<&Params::backoff_factor>({.doc = "float16: times this after an overflow", .min = 0, .max = 1})
      .arg<&Params::growth_interval>(
          {.doc = "float16: good steps before the factor grows", .unit = "steps", .min = 1})
      .arg<&Params::max_skipped>(
          {.doc = "float16: steps in a row that may overflow before the run ends as diverged",
           .unit = "steps",
           .min = 1});
}

std::string AMP::check(const Params& p) {
  if (p.backoff_factor <= 0 || p.backoff_factor >= 1) return "backoff_factor must lie between 0 and 1";
  if (p.loss_scale && p.dtype != AmpType::float16)
    return "loss_scale is of use with dtype = \"float16\" only; drop it";
  return {};
}

AMP::AMP(Params p)
    : p_(p),
      scale_({.dynamic = !p.loss_scale,
              .initial = p.loss_scale.value_or(p.init_scale),
              .growth = p.growth_factor,
              .backoff = p.backoff_factor,
              .growth_interval = p.growth_interval}) {}

void AMP::prepare(Run& run) {
  if (p_.dtype != AmpType::off && !run.device.is_cpu() && !run.device.is_cuda())
    throw UsageError(fmt::format(
        "AMP: mixed precision is known for cpu and cuda, not for {}; set dtype = \"off\"", run.device.str()));
}

void AMP::run_begin(Run& run) {
  if (scales()) scale_.to(run.device);
}

void AMP::micro_begin(Run& run) {
  if (scales() && !window_open_ && run.model) backup_.keep(*run.model);
  window_open_ = true;
}

std::unique_ptr<ForwardScope> AMP::around_forward(Run& run) {
  if (p_.dtype == AmpType::off) return nullptr;
  return autocast_scope(run.device.type(), scales() ? at::kHalf : at::kBFloat16);
}

at::Tensor AMP::map_loss(Run&, at::Tensor loss) { return scales() ? scale_.apply(loss) : loss; }

void AMP::gradients_ready(Run& run) {
  if (!scales()) return;
  run.scalars["loss_scale"] = scale_.value();
  overflowed_ = scale_.unscale(run.gradients());
  run.overflowed = overflowed_;
  if (!overflowed_) {
    in_a_row_ = 0;
    return;
  }
  backup_.restore();
  ++overflows_;
  run.scalars["overflows"] = static_cast<double>(overflows_);
  if (++in_a_row_ > p_.max_skipped)
    throw DivergenceError(
        fmt::format("AMP: the float16 gradients of {} steps in a row were not finite (after step {}, loss "
                    "scale {:g}); lower "
                    "optimizer.lr, clip gradients, or use dtype = \"bfloat16\"",
                    in_a_row_, run.progress.step, scale_.value()));
}

void AMP::step_end(Run&) {
  window_open_ = false;
  if (!scales()) return;
  scale_.update(overflowed_);
  overflowed_ = false;
}

State AMP::save() const {
  State state;
  if (scales())
    state.values = {{"scale", scale_.value()},
                    {"good_steps", scale_.good_steps()},
                    {"overflows", overflows_},
                    {"in_a_row", in_a_row_}};
  return state;
}

void AMP::load(const State& state) {
  if (!scales() || state.empty()) return;
  overflows_ = state.values.value("overflows", std::int64_t{0});
  in_a_row_ = state.values.value("in_a_row", std::int64_t{0});
  if (!p_.loss_scale && state.values.contains("scale"))
    scale_.set(state.values.at("scale").get<double>(), state.values.value("good_steps", std::int64_t{0}));
}

}  // namespace marey::hooks
