// From the loader's pixels to what networks take.
#pragma once
#include <marey/core/schema.hpp>

#include <ATen/core/Tensor.h>

#include <array>
#include <utility>

namespace marey {

enum class ChannelOrder { rgb, bgr };
template <>
struct EnumNames<ChannelOrder> {
  static constexpr std::array names{std::pair{ChannelOrder::rgb, "RGB"}, std::pair{ChannelOrder::bgr, "BGR"}};
};

struct Normalization {
  std::array<double, 3> mean{0.45, 0.45, 0.45};
  std::array<double, 3> std{0.225, 0.225, 0.225};
  bool unit_range = true;
  ChannelOrder channels = ChannelOrder::rgb;
  static Schema<Normalization> schema();
};

// pixels uint8 [N, V, 3, T, H, W] (RGB) → [N·V, 3, T, H, W] of the given floating type on the same device,
// laid out channels-last. One pass over the pixels; on the CPU through a table of the 256 values of each
// channel.
at::Tensor preprocess(const at::Tensor& pixels, const Normalization&, at::ScalarType type = at::kFloat);

}  // namespace marey
