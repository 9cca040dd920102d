#include "three_crop.hpp"

#include "picture.hpp"

namespace marey::datasets {

Schema<ThreeCrop::Params> ThreeCrop::schema() {
  return Schema<Params>{}
      .arg<&Params::size>({.doc = "both sides of each crop; usually the short side of a Resize before it",
                           .unit = "pixels",
                           .min = 1,
                           .max = 16384,
                           .required = true})
      .arg<&Params::order>(
          {.doc = "left_right_middle: equal steps, rounded down, so that the second may miss the edge by a "
                  "pixel, as MMAction2; left_middle_right: the last at the edge, the middle rounded up, as "
                  "PySlowFast; in tall pictures top and bottom take the places of left and right",
           .one_of = {"left_right_middle", "left_middle_right"}});
}

std::array<std::pair<int, int>, 3> three_places(int width, int height, int size, bool middle_last) {
  const bool tall = height > width;
  const int room = (tall ? height : width) - size, cross_room = (tall ? width : height) - size;
  const int step = room / 2, cross = middle_last ? cross_room / 2 : (cross_room + 1) / 2;
  const std::array<int, 3> along =
      middle_last ? std::array{0, 2 * step, step} : std::array{0, (room + 1) / 2, room};
  std::array<std::pair<int, int>, 3> out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = tall ? std::pair{cross, along[i]} : std::pair{along[i], cross};
  return out;
}

void ThreeCrop::apply(data::Clip& clip, Random&) const {
  std::vector<media::FrameGeometry> crops;
  for (const auto& g : clip.crops) {
    check_fits(g, p_.size);
    for (const auto& [left, top] :
         three_places(g.out_width, g.out_height, p_.size, p_.order == "left_right_middle"))
      crops.push_back(crop_at(g, left, top, p_.size, p_.size));
  }
  clip.crops = std::move(crops);
}

}  // namespace marey::datasets
