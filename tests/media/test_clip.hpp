// Small clips made on the spot, whose frames tell their own number.
#pragma once
#include "media/frames.hpp"

#include <marey/media/image.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace marey::test {

// Below, a grey level that rises with the number; above, red at the left of an edge that moves right and blue
// behind it.
inline Pixels numbered_frame(int n, int width, int height) {
  Pixels p(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  const int grey = 30 + n * 6 % 210;
  const int edge = (width / 2 + n) % width;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      auto* px =
          &p[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) *
             3];
      px[0] = px[1] = px[2] = static_cast<std::uint8_t>(grey);
      if (y < height / 4) {
        px[0] = x < edge ? 220 : 20;
        px[1] = 20;
        px[2] = x < edge ? 20 : 220;
      }
    }
  return p;
}

inline std::filesystem::path write_clip(const std::filesystem::path& path, int frames,
                                        const media::WriterOptions& options) {
  media::VideoWriter writer(path, options);
  for (int n = 0; n < frames; ++n) writer.add(numbered_frame(n, options.width, options.height).data());
  writer.finish();
  return path;
}

// Mean absolute difference of two pictures.
inline double difference(const Pixels& a, const Pixels& b) {
  if (a.size() != b.size() || a.empty()) return 1e9;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(int{a[i]} - int{b[i]});
  return sum / static_cast<double>(a.size());
}

}  // namespace marey::test
