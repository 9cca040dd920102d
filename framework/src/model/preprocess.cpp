#include <marey/core/error.hpp>
#include <marey/model/preprocess.hpp>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <vector>

namespace marey {

namespace {

std::size_t source_channel(const Normalization& n, std::size_t channel) {
  return n.channels == ChannelOrder::rgb ? channel : 2 - channel;
}

// [pixel][3] → [pixel][3]
template <class T>
void look_up(const std::uint8_t* in, T* out, std::int64_t pixels, const Normalization& n) {
  std::array<std::array<T, 256>, 3> table;
  const float scale = n.unit_range ? 255.f : 1.f;
  for (std::size_t c = 0; c < 3; ++c)
    for (int v = 0; v < 256; ++v)
      table[c][v] = static_cast<T>((static_cast<float>(v) / scale - static_cast<float>(n.mean[c])) /
                                   static_cast<float>(n.std[c]));
  const std::size_t s0 = source_channel(n, 0), s2 = source_channel(n, 2);
  at::parallel_for(0, pixels, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      out[3 * p] = table[0][in[3 * p + s0]];
      out[3 * p + 1] = table[1][in[3 * p + 1]];
      out[3 * p + 2] = table[2][in[3 * p + s2]];
    }
  });
}

}  // namespace

Schema<Normalization> Normalization::schema() {
  using P = Normalization;
  return Schema<P>{}
      .arg<&P::mean>({.doc = "subtracted from each channel, in the order of `channels`"})
      .arg<&P::std>({.doc = "each channel is divided by this, in the order of `channels`", .min = 1e-6})
      .arg<&P::unit_range>(
          {.doc = "pixels are divided by 255 first, so that mean and std count in 0 … 1 instead of 0 … 255"})
      .arg<&P::channels>({.doc = "order in which the network takes the colours"});
}

at::Tensor preprocess(const at::Tensor& pixels, const Normalization& n, at::ScalarType type) {
  if (pixels.dim() != 6 || pixels.size(2) != 3 || pixels.scalar_type() != at::kByte)
    throw Error(fmt::format("preprocess: expected uint8 pixels [N, V, 3, T, H, W]; got {} [{}]",
                            c10::toString(pixels.scalar_type()), fmt::join(pixels.sizes(), ", ")));
  const at::Tensor clips = pixels.flatten(0, 1);
  if (clips.device().is_cpu() && (type == at::kFloat || type == at::kBFloat16)) {
    const at::Tensor in = clips.contiguous(at::MemoryFormat::ChannelsLast3d);
    at::Tensor out =
        at::empty(in.sizes(), in.options().dtype(type).memory_format(at::MemoryFormat::ChannelsLast3d));
    const auto* source = in.const_data_ptr<std::uint8_t>();
    if (type == at::kFloat)
      look_up(source, out.mutable_data_ptr<float>(), in.numel() / 3, n);
    else
      look_up(source, out.mutable_data_ptr<at::BFloat16>(), in.numel() / 3, n);
    return out;
  }
  const auto row = [&](const std::array<double, 3>& values) {
    return at::tensor(at::ArrayRef<double>(values), clips.options().dtype(at::kFloat)).view({1, 3, 1, 1, 1});
  };
  at::Tensor x = clips.to(clips.options().dtype(at::kFloat), false, false, at::MemoryFormat::ChannelsLast3d);
  if (n.channels == ChannelOrder::bgr) x = x.flip({1}).contiguous(at::MemoryFormat::ChannelsLast3d);
  if (n.unit_range) x.div_(255);
  return x.sub_(row(n.mean)).div_(row(n.std)).to(type);
}

}  // namespace marey
