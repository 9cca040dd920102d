// A crop of random area and shape, scaled to a square: the usual augmentation of training.
#pragma once
#include "scaling.hpp"

#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace marey::datasets {

struct Area {
  int left = 0, top = 0, width = 0, height = 0;
  friend bool operator==(const Area&, const Area&) = default;
};

// In the middle: the largest square, or the largest area whose shape (width / height) is in range.
Area fallback_area(int width, int height, std::array<double, 2> aspect_range, bool square);

// Ten tries of an area within the range and a shape drawn on a logarithmic scale; then the fallback.
template <class Generator>
Area random_area(int width, int height, std::array<double, 2> area_range, std::array<double, 2> aspect_range,
                 bool square_fallback, Generator& random) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = random.uniform(area_range[0], area_range[1]) * width * height;
    const double aspect = std::exp(random.uniform(std::log(aspect_range[0]), std::log(aspect_range[1])));
    const int w = static_cast<int>(std::nearbyint(std::sqrt(area * aspect)));
    const int h = static_cast<int>(std::nearbyint(std::sqrt(area / aspect)));
    if (w < 1 || h < 1 || w > width || h > height) continue;
    const int top = static_cast<int>(random.integer(0, height - h));
    const int left = static_cast<int>(random.integer(0, width - w));
    return {left, top, w, h};
  }
  return fallback_area(width, height, aspect_range, square_fallback);
}

class RandomResizedCrop final : public Transform {
 public:
  struct Params {
    std::optional<int> size;
    std::array<double, 2> area_range{0.08, 1.0}, aspect_range{3.0 / 4, 4.0 / 3};
    std::string fallback = "clamp";
    media::Scaling scaling = media::Scaling::fast;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit RandomResizedCrop(Params p) : p_(std::move(p)) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
