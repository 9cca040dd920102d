#include "ten_crop.hpp"

#include "picture.hpp"

namespace marey::datasets {

Schema<TenCrop::Params> TenCrop::schema() {
  return Schema<Params>{}.arg<&Params::size>(
      {.doc = "both sides of each crop; upper left, upper right, lower left, lower right, middle, each "
              "followed by its mirror image. Rooms that four does not divide leave the far crops up to three "
              "pixels from the edge, as MMAction2",
       .unit = "pixels",
       .min = 1,
       .max = 16384,
       .required = true});
}

std::array<std::pair<int, int>, 5> five_places(int width, int height, int size) {
  const int x = (width - size) / 4, y = (height - size) / 4;
  return {{{0, 0}, {4 * x, 0}, {0, 4 * y}, {4 * x, 4 * y}, {2 * x, 2 * y}}};
}

void TenCrop::apply(data::Clip& clip, Random&) const {
  std::vector<media::FrameGeometry> crops;
  for (const auto& g : clip.crops) {
    check_fits(g, p_.size);
    for (const auto& [left, top] : five_places(g.out_width, g.out_height, p_.size)) {
      crops.push_back(crop_at(g, left, top, p_.size, p_.size));
      crops.push_back(data::flipped(crops.back()));
    }
  }
  clip.crops = std::move(crops);
}

}  // namespace marey::datasets
