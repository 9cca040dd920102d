#include "media/resample.hpp"

#include <algorithm>
#include <cmath>

namespace marey::media {
namespace {

constexpr int channels = 3;
constexpr int cv2_bits = 11, pillow_bits = 22;

// Two neighbours, the edge repeated.
Taps linear_taps(const Axis& a) {
  Taps t{.width = std::min(2, a.high - a.low), .first = {}, .weights = {}};
  for (int j = 0; j < a.out; ++j) {
    const double at = std::clamp(a.from + (j + 0.5) * a.step - 0.5, static_cast<double>(a.low),
                                 static_cast<double>(a.high - 1));
    const int left = std::min(static_cast<int>(at), std::max(a.high - 2, a.low));
    t.first.push_back(left);
    t.weights.push_back(t.width == 1 ? 1.0 : 1 - (at - left));
    if (t.width == 2) t.weights.push_back(at - left);
  }
  return t;
}

// A triangle over every source pixel that it reaches.
Taps triangle_taps(const Axis& a) {
  const double reach = std::max(a.step, 1.0);
  Taps t{.width = std::min(a.high - a.low, static_cast<int>(std::ceil(reach)) * 2 + 1),
         .first = {},
         .weights = {}};
  const auto width = static_cast<std::size_t>(t.width);
  for (int j = 0; j < a.out; ++j) {
    const double centre = a.from + (j + 0.5) * a.step;
    const int first = std::clamp(static_cast<int>(centre - reach + 0.5), a.low, a.high - 1);
    const int end = std::clamp(static_cast<int>(centre + reach + 0.5), first + 1, a.high);
    const int begin = std::min(first, a.high - t.width);  // room for all taps; those before `first` weigh 0
    std::vector<double> w(width, 0.0);
    double sum = 0;
    for (int i = first; i < std::min(end, begin + t.width); ++i)
      sum += w[static_cast<std::size_t>(i - begin)] = std::max(0.0, 1 - std::abs((i - centre + 0.5) / reach));
    if (sum > 0)
      for (double& v : w) v /= sum;
    else
      w[static_cast<std::size_t>(first - begin)] = 1;
    t.first.push_back(begin);
    t.weights.insert(t.weights.end(), w.begin(), w.end());
  }
  return t;
}

std::vector<std::int32_t> fixed_point(const Taps& t, int bits) {
  std::vector<std::int32_t> out;
  out.reserve(t.weights.size());
  for (const double w : t.weights)
    out.push_back(static_cast<std::int32_t>(bits == cv2_bits ? std::nearbyint(w * (1 << bits))
                                                             : std::floor(w * (1 << bits) + 0.5)));
  return out;
}

std::uint8_t to_byte(std::int64_t v) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(v, 0, 255));
}

// One row of the source through the taps of x.
template <class Weight, class Out, class Finish>
void across(const std::uint8_t* row, const Taps& t, const Weight* weights, Out* out, Finish finish) {
  const int count = static_cast<int>(t.first.size());
  for (int j = 0; j < count; ++j, weights += t.width, out += channels) {
    const std::uint8_t* p = row + std::ptrdiff_t{t.first[static_cast<std::size_t>(j)]} * channels;
    Weight sum[channels] = {};
    for (int k = 0; k < t.width; ++k, p += channels)
      for (int c = 0; c < channels; ++c) sum[c] += weights[k] * static_cast<Weight>(p[c]);
    for (int c = 0; c < channels; ++c) out[c] = finish(sum[c]);
  }
}

// All rows that the taps of y need, through the taps of x.
template <class Weight, class Out, class Finish>
std::vector<Out> rows_of(const std::uint8_t* in, const Axis& x, const Taps& tx, const Weight* weights,
                         const Taps& ty, Finish finish) {
  const std::size_t width = static_cast<std::size_t>(x.out) * channels;
  int low = ty.first.front(), high = low;
  for (const int f : ty.first) low = std::min(low, f), high = std::max(high, f + ty.width);
  std::vector<Out> rows(static_cast<std::size_t>(high) * width);
  for (int y = low; y < high; ++y)
    across(in + std::ptrdiff_t{y} * x.size * channels, tx, weights,
           rows.data() + static_cast<std::size_t>(y) * width, finish);
  return rows;
}

void resample_cv2(const std::uint8_t* in, const Axis& x, const Axis& y, std::uint8_t* out) {
  const Taps tx = linear_taps(x), ty = linear_taps(y);
  const auto wx = fixed_point(tx, cv2_bits), wy = fixed_point(ty, cv2_bits);
  const auto rows =
      rows_of<std::int32_t, std::int32_t>(in, x, tx, wx.data(), ty, [](std::int32_t v) { return v; });
  const std::size_t width = static_cast<std::size_t>(x.out) * channels;
  for (std::size_t j = 0; j < static_cast<std::size_t>(y.out); ++j)
    for (std::size_t i = 0; i < width; ++i) {
      std::int64_t sum = 2;
      for (int k = 0; k < ty.width; ++k) {
        const auto row = static_cast<std::size_t>(ty.first[j] + k);
        sum += (std::int64_t{wy[j * static_cast<std::size_t>(ty.width) + static_cast<std::size_t>(k)]} *
                (rows[row * width + i] >> 4)) >>
               16;
      }
      out[j * width + i] = to_byte(sum >> 2);
    }
}

void resample_pillow(const std::uint8_t* in, const Axis& x, const Axis& y, std::uint8_t* out) {
  const Taps tx = triangle_taps(x), ty = triangle_taps(y);
  const auto wx = fixed_point(tx, pillow_bits), wy = fixed_point(ty, pillow_bits);
  constexpr std::int32_t half = 1 << (pillow_bits - 1);
  const auto byte = [](std::int32_t v) { return to_byte((v + half) >> pillow_bits); };
  const auto rows = rows_of<std::int32_t, std::uint8_t>(in, x, tx, wx.data(), ty, byte);
  const std::size_t width = static_cast<std::size_t>(x.out) * channels;
  std::vector<std::int32_t> sums(width);
  for (std::size_t j = 0; j < static_cast<std::size_t>(y.out); ++j) {
    std::ranges::fill(sums, 0);
    for (int k = 0; k < ty.width; ++k) {
      const std::int32_t w = wy[j * static_cast<std::size_t>(ty.width) + static_cast<std::size_t>(k)];
      const std::uint8_t* row = rows.data() + static_cast<std::size_t>(ty.first[j] + k) * width;
      for (std::size_t i = 0; i < width; ++i) sums[i] += w * row[i];
    }
    for (std::size_t i = 0; i < width; ++i) out[j * width + i] = byte(sums[i]);
  }
}

}  // namespace

Taps taps(Scaling scaling, const Axis& axis) {
  return scaling == Scaling::pillow ? triangle_taps(axis) : linear_taps(axis);
}

void resample_torch(const std::uint8_t* in, const Axis& x, const Axis& y, float* out) {
  const Taps tx = linear_taps(x), ty = linear_taps(y);
  const std::vector<float> wx(tx.weights.begin(), tx.weights.end());
  const auto rows = rows_of<float, float>(in, x, tx, wx.data(), ty, [](float v) { return v; });
  const std::size_t width = static_cast<std::size_t>(x.out) * channels;
  for (std::size_t j = 0; j < static_cast<std::size_t>(y.out); ++j) {
    const float* row = rows.data() + static_cast<std::size_t>(ty.first[j]) * width;
    const float* below = row + (ty.width > 1 ? width : 0);
    const auto lower =
        static_cast<float>(ty.width > 1 ? ty.weights[j * static_cast<std::size_t>(ty.width) + 1] : 0.0);
    for (std::size_t i = 0; i < width; ++i) out[j * width + i] = row[i] * (1 - lower) + below[i] * lower;
  }
}

void resample(Scaling scaling, const std::uint8_t* in, const Axis& x, const Axis& y, std::uint8_t* out) {
  if (scaling == Scaling::cv2) return resample_cv2(in, x, y, out);
  if (scaling == Scaling::pillow) return resample_pillow(in, x, y, out);
  std::vector<float> exact(static_cast<std::size_t>(x.out) * static_cast<std::size_t>(y.out) * channels);
  resample_torch(in, x, y, exact.data());
  std::ranges::transform(exact, out, [](float v) { return static_cast<std::uint8_t>(std::nearbyint(v)); });
}

}  // namespace marey::media
