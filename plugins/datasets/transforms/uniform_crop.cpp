#include "uniform_crop.hpp"

#include "picture.hpp"
#include "three_crop.hpp"

namespace marey::datasets {

Schema<UniformCrop::Params> UniformCrop::schema() {
  return Schema<Params>{}
      .arg<&Params::size>(
          {.doc = "both sides of the crop", .unit = "pixels", .min = 1, .max = 16384, .required = true})
      .arg<&Params::position>({.doc =
                                   "along the longer side; first is left, or the top of a tall picture. The "
                                   "middle rounds up, as PySlowFast",
                               .one_of = {"first", "middle", "last"}});
}

void UniformCrop::apply(data::Clip& clip, Random&) const {
  const std::size_t place = p_.position == "first" ? 0 : p_.position == "middle" ? 1 : 2;
  for (auto& g : clip.crops) {
    check_fits(g, p_.size);
    const auto [left, top] = three_places(g.out_width, g.out_height, p_.size, false)[place];
    g = crop_at(g, left, top, p_.size, p_.size);
  }
}

}  // namespace marey::datasets
