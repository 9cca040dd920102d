#include "stop_at_loss.hpp"

#include <fmt/format.h>

marey::Schema<StopAtLoss::Params> StopAtLoss::schema() {
  return marey::Schema<Params>{}
      .arg<&Params::below>({.doc = "the mean loss that is low enough", .min = 0})
      .arg<&Params::momentum>({.doc = "how slowly the mean follows the loss", .min = 0, .max = 1});
}

void StopAtLoss::micro_end(marey::Run& run) {
  const double loss = run.output.loss.item<double>();
  mean_ = mean_ < 0 ? loss : params_.momentum * mean_ + (1 - params_.momentum) * loss;
}

void StopAtLoss::step_end(marey::Run& run) {
  if (mean_ < 0 || mean_ >= params_.below) return;
  run.stop = true;
  run.stop_reason = fmt::format("the mean loss {:.4g} is below {}", mean_, params_.below);
}

marey::State StopAtLoss::save() const { return {.values = {{"mean", mean_}}}; }
void StopAtLoss::load(const marey::State& state) { mean_ = state.values.value("mean", -1.0); }
