#include "random_crop.hpp"

#include "picture.hpp"

namespace marey::datasets {

Schema<RandomCrop::Params> RandomCrop::schema() {
  return Schema<Params>{}.arg<&Params::size>(
      {.doc = "both sides of the crop", .unit = "pixels", .min = 1, .max = 16384, .required = true});
}

void RandomCrop::apply(data::Clip& clip, Random& random) const {
  for (auto& g : clip.crops) {
    check_fits(g, p_.size);
    const auto top = static_cast<int>(random.integer(0, g.out_height - p_.size));
    const auto left = static_cast<int>(random.integer(0, g.out_width - p_.size));
    g = crop_at(g, left, top, p_.size, p_.size);
  }
}

}  // namespace marey::datasets
