// Changes the size of the picture: its short side, or both sides to a square.
#pragma once
#include "scaling.hpp"

#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

#include <utility>

namespace marey::datasets {

// The long side follows the short one: "nearest" rounds it (MMAction2), "floor" rounds down (PySlowFast).
std::pair<int, int> short_side_size(int width, int height, int size, bool floor);

class Resize final : public Transform {
 public:
  struct Params {
    int size = 0;
    std::optional<int> max_size;
    bool keep_ratio = true;
    std::string rounding = "nearest";
    media::Scaling scaling = media::Scaling::fast;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit Resize(Params p) : p_(std::move(p)) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
