// A short side drawn for each clip: the jitter of scale in training.
#pragma once
#include "scaling.hpp"

#include <marey/data/transform.hpp>

#include <cmath>
#include <string>

namespace marey::datasets {

// inverse: 1 / size is uniform, so that small sizes come more often.
template <class Generator>
int random_short_side(int min_size, int max_size, bool inverse, Generator& random) {
  const double drawn =
      inverse ? 1 / random.uniform(1.0 / max_size, 1.0 / min_size) : random.uniform(min_size, max_size);
  return static_cast<int>(std::nearbyint(drawn));
}

class RandomShortSide final : public Transform {
 public:
  struct Params {
    int min_size = 256, max_size = 320;
    std::string distribution = "uniform", rounding = "floor";
    media::Scaling scaling = media::Scaling::fast;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit RandomShortSide(Params p) : p_(std::move(p)) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
