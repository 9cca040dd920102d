#include "frame_difference.hpp"

#include <ATen/ops/relu.h>
#include <ATen/ops/slice.h>

namespace {

torch::nn::Conv3d halving(std::int64_t from, std::int64_t to) {
  return torch::nn::Conv3d(torch::nn::Conv3dOptions(from, to, 3).stride({1, 2, 2}).padding(1).bias(false));
}

}  // namespace

marey::Schema<FrameDifference::Params> FrameDifference::schema() {
  return marey::Schema<Params>{}.arg<&Params::width>({.doc = "channels of the first layer", .min = 1});
}

FrameDifference::FrameDifference(Params params)
    : params_(params),
      first_(register_module("first", halving(3, params.width))),
      second_(register_module("second", halving(params.width, 2 * params.width))),
      first_norm_(register_module("first_norm", torch::nn::BatchNorm3d(params.width))),
      second_norm_(register_module("second_norm", torch::nn::BatchNorm3d(2 * params.width))) {}

std::vector<at::Tensor> FrameDifference::forward(const at::Tensor& clips) {
  const auto length = clips.size(2);
  const at::Tensor change = clips.slice(2, 1, length) - clips.slice(2, 0, length - 1);
  return {second_norm_(second_(first_norm_(first_(change)).relu())).relu()};
}

std::string FrameDifference::refuses(std::int64_t frames, std::int64_t, std::int64_t) const {
  return frames < 2 ? "one frame has no difference; sample at least 2" : "";
}
