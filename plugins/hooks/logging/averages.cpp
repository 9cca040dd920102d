#include "averages.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>

namespace marey::hooks {

std::map<std::string, double> extra_scalars(const Run& run) {
  auto out = run.scalars;
  out.erase("loss");  // of the last step alone; the lines have its mean
  out.erase("lr");
  return out;
}

void Averages::add(const std::string& name, const at::Tensor& value) {
  if (!value.defined()) return;
  const at::NoGradGuard no_grad;
  at::Tensor& sum = sums_[name];
  const at::Tensor v = value.detach().to(at::kDouble);
  sum = sum.defined() ? sum.add(v) : v.clone();
}

void Averages::add(const Run& run) {
  ++micro_steps_;
  samples_ += run.batch ? run.batch->size() : 0;
  seconds_ += run.data_seconds + run.step_seconds;
  data_seconds_ += run.data_seconds;
  window_seconds_ += run.step_seconds;
  add("loss", run.output.loss);
  for (const auto& [name, value] : run.output.terms) add(name, value);
}

// Run::step_seconds is then the time of the whole step.
void Averages::step(const Run& run) {
  if (run.step_seconds > window_seconds_) seconds_ += run.step_seconds - window_seconds_;
  window_seconds_ = 0;
}

Summary Averages::take() {
  Summary out;
  for (const auto& [name, sum] : sums_)
    out.means[name] = sum.item<double>() / static_cast<double>(micro_steps_);
  if (seconds_ > 0) {
    out.clips_per_second = static_cast<double>(samples_) / seconds_;
    out.data_share = data_seconds_ / seconds_;
  }
  *this = {};
  return out;
}

nlohmann::json Averages::save() const {
  nlohmann::json sums = nlohmann::json::object();
  for (const auto& [name, sum] : sums_) sums[name] = sum.item<double>();
  return {{"sums", sums},
          {"micro_steps", micro_steps_},
          {"samples", samples_},
          {"seconds", seconds_},
          {"data_seconds", data_seconds_}};
}

void Averages::load(const nlohmann::json& saved) {
  *this = {};
  if (!saved.is_object()) return;
  for (const auto& [name, sum] : saved.at("sums").items())
    if (sum.is_number()) sums_[name] = at::scalar_tensor(sum.get<double>(), at::kDouble);
  micro_steps_ = saved.at("micro_steps");
  samples_ = saved.at("samples");
  seconds_ = saved.at("seconds");
  data_seconds_ = saved.at("data_seconds");
}

}  // namespace marey::hooks
