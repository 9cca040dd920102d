// Four corners and the middle, each also mirrored, for tests: ten views.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

#include <array>
#include <utility>

namespace marey::datasets {

// Left and top: upper left, upper right, lower left, lower right, middle.
std::array<std::pair<int, int>, 5> five_places(int width, int height, int size);

class TenCrop final : public Transform {
 public:
  struct Params {
    int size = 0;
  };
  static Schema<Params> schema();
  explicit TenCrop(Params p) : p_(p) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
