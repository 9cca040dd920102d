#include "center_crop.hpp"

#include "picture.hpp"

namespace marey::datasets {

Schema<CenterCrop::Params> CenterCrop::schema() {
  return Schema<Params>{}.arg<&Params::size>(
      {.doc = "both sides of the crop", .unit = "pixels", .min = 1, .max = 16384, .required = true});
}

void CenterCrop::apply(data::Clip& clip, Random&) const {
  for (auto& g : clip.crops) {
    check_fits(g, p_.size);
    g = crop_at(g, (g.out_width - p_.size) / 2, (g.out_height - p_.size) / 2, p_.size, p_.size);
  }
}

}  // namespace marey::datasets
