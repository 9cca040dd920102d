#include "loss_scale.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <tuple>

namespace marey::hooks {

void LossScale::to(c10::Device device) {
  if (!scale_.defined()) {
    scale_ = at::full({1}, rule_.initial, at::kFloat);
    good_steps_ = at::zeros({1}, at::kInt);
  }
  scale_ = scale_.to(device);
  good_steps_ = good_steps_.to(device);
}

at::Tensor LossScale::apply(const at::Tensor& loss) const {
  return loss.to(at::kFloat).mul(scale_.squeeze());
}

bool LossScale::unscale(const std::vector<at::Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  // In double: the reciprocal of a large scale is a denormal number in float32, which some processors flush
  // to zero.
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  std::map<std::tuple<c10::DeviceType, c10::DeviceIndex, c10::ScalarType>, std::vector<at::Tensor>> lists;
  for (const at::Tensor& g : gradients)
    lists[{g.device().type(), g.device().index(), g.scalar_type()}].push_back(g);
  bool bad = false;
  for (auto& [key, list] : lists) {
    const c10::Device device = list.front().device();
    at::Tensor found = at::zeros({1}, at::TensorOptions(device).dtype(at::kFloat));
    at::_amp_foreach_non_finite_check_and_unscale_(list, found, inverse.to(device));
    bad = bad || found.item<float>() != 0;
  }
  return bad;
}

void LossScale::update(bool overflowed) {
  if (!rule_.dynamic) return;
  const at::NoGradGuard no_grad;
  const at::Tensor found = at::full({1}, overflowed ? 1.0 : 0.0, scale_.options());
  at::_amp_update_scale_(scale_, good_steps_, found, rule_.growth, rule_.backoff, rule_.growth_interval);
}

double LossScale::value() const { return scale_.defined() ? scale_.item<float>() : rule_.initial; }

std::int64_t LossScale::good_steps() const { return good_steps_.defined() ? good_steps_.item<int>() : 0; }

void LossScale::set(double value, std::int64_t good_steps) {
  const auto device = scale_.defined() ? scale_.device() : c10::Device(c10::kCPU);
  scale_ = at::full({1}, value, at::TensorOptions(device).dtype(at::kFloat));
  good_steps_ = at::full({1}, good_steps, at::TensorOptions(device).dtype(at::kInt));
}

}  // namespace marey::hooks
