#include "warm_up.hpp"

namespace marey::optim {

Schema<WarmUp> WarmUp::schema() {
  return Schema<WarmUp>{}
      .arg<&WarmUp::warmup_steps>(
          {.doc = "length of the linear warm-up in optimizer steps", .unit = "steps", .min = 0})
      .arg<&WarmUp::warmup_epochs>({.doc = "the same in epochs", .unit = "epochs", .min = 0})
      .arg<&WarmUp::warmup_start_factor>(
          {.doc = "factor at the first step of the warm-up", .min = 0, .max = 1})
      .arg<&WarmUp::warmup_mode>(
          {.doc = "to_curve: a line to the curve's value at the end of the warm-up (PySlowFast); "
                  "times_curve: a line that "
                  "reaches 1 at the last step of the warm-up, times the curve (MMEngine's LinearLR)"})
      .arg<&WarmUp::by_epoch>(
          {.doc = "hold the factor for each whole epoch; otherwise it moves with each step"});
}

std::string WarmUp::check(const WarmUp& w) {
  if (w.warmup_steps && w.warmup_epochs)
    return "warmup_steps and warmup_epochs are both given; expected one of them";
  if (w.by_epoch && w.warmup_steps)
    return "by_epoch needs the warm-up in epochs: use warmup_epochs for warmup_steps";
  return {};
}

Place WarmUp::place(const Progress& p) const {
  if (by_epoch)
    return {static_cast<double>(p.step / p.steps_per_epoch), static_cast<double>(p.max_epochs),
            warmup_epochs.value_or(0)};
  const double warm_up = warmup_epochs ? *warmup_epochs * static_cast<double>(p.steps_per_epoch)
                                       : static_cast<double>(warmup_steps.value_or(0));
  return {static_cast<double>(p.step), static_cast<double>(p.total_steps()), warm_up};
}

double WarmUp::apply(const Place& at, const std::function<double(double)>& curve) const {
  if (at.position >= at.warm_up) return curve(at.position);
  if (warmup_mode == WarmUpMode::times_curve) {
    const double rise = at.warm_up > 1 ? at.position / (at.warm_up - 1) : 1;
    return (warmup_start_factor + (1 - warmup_start_factor) * (rise < 1 ? rise : 1)) * curve(at.position);
  }
  const double goal = curve(at.warm_up < at.length ? at.warm_up : 0);
  return warmup_start_factor + (goal - warmup_start_factor) * (at.position / at.warm_up);
}

}  // namespace marey::optim
