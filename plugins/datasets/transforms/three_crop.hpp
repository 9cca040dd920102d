// Three squares along the longer side, for tests: each is a view.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

#include <array>
#include <string>
#include <utility>

namespace marey::datasets {

// Left and top of each square.
std::array<std::pair<int, int>, 3> three_places(int width, int height, int size, bool middle_last);

class ThreeCrop final : public Transform {
 public:
  struct Params {
    int size = 0;
    std::string order = "left_right_middle";
  };
  static Schema<Params> schema();
  explicit ThreeCrop(Params p) : p_(std::move(p)) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
