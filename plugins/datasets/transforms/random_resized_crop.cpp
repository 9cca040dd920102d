#include "random_resized_crop.hpp"

#include "picture.hpp"

#include <algorithm>

namespace marey::datasets {

Schema<RandomResizedCrop::Params> RandomResizedCrop::schema() {
  return Schema<Params>{}
      .arg<&Params::size>(
          {.doc = "both sides of the result; without it the crop keeps its size, and a Resize follows",
           .unit = "pixels",
           .min = 1,
           .max = 16384})
      .arg<&Params::area_range>({.doc = "least and greatest share of the picture's area", .min = 0, .max = 1})
      .arg<&Params::aspect_range>({.doc = "least and greatest width / height", .min = 0.01, .max = 100})
      .arg<&Params::fallback>(
          {.doc = "when ten draws do not fit, a crop in the middle: clamp: the largest whose shape is in "
                  "range, as PySlowFast and torchvision; square: the largest square, as MMAction2",
           .one_of = {"clamp", "square"}})
      .arg<&Params::scaling>({.doc = scaling_doc});
}

std::string RandomResizedCrop::check(const Params& p) {
  if (p.area_range[0] > p.area_range[1] || p.area_range[1] <= 0)
    return "area_range needs its lesser end first and a greater end above 0";
  if (p.aspect_range[0] > p.aspect_range[1]) return "aspect_range needs its lesser end first";
  return {};
}

Area fallback_area(int width, int height, std::array<double, 2> aspect_range, bool square) {
  const double aspect = static_cast<double>(width) / height;
  int w = width, h = height;
  if (square)
    w = h = std::min(width, height);
  else if (aspect < aspect_range[0])
    h = std::max(1, static_cast<int>(std::nearbyint(width / aspect_range[0])));
  else if (aspect > aspect_range[1])
    w = std::max(1, static_cast<int>(std::nearbyint(height * aspect_range[1])));
  return {(width - w) / 2, (height - h) / 2, w, h};
}

void RandomResizedCrop::apply(data::Clip& clip, Random& random) const {
  if (clip.crops.size() != 1)
    throw UsageError("stands after a transform that makes several crops; put it first");
  auto& g = clip.crops.front();
  const Area a =
      random_area(g.out_width, g.out_height, p_.area_range, p_.aspect_range, p_.fallback == "square", random);
  g = crop_at(g, a.left, a.top, a.width, a.height);
  if (p_.size) g = scaled(g, *p_.size, *p_.size, p_.scaling);
}

}  // namespace marey::datasets
