#include "random_short_side.hpp"

#include "resize.hpp"

namespace marey::datasets {

Schema<RandomShortSide::Params> RandomShortSide::schema() {
  return Schema<Params>{}
      .arg<&Params::min_size>({.doc = "least short side", .unit = "pixels", .min = 1, .max = 16384})
      .arg<&Params::max_size>({.doc = "greatest short side", .unit = "pixels", .min = 1, .max = 16384})
      .arg<&Params::distribution>(
          {.doc = "uniform: between the two, rounded, as PySlowFast's TRAIN_JITTER_SCALES; inverse: one over "
                  "the "
                  "size is uniform, as its INV_UNIFORM_SAMPLE and AVA; integer: whole numbers alike, as "
                  "MMAction2's RandomRescale",
           .one_of = {"uniform", "inverse", "integer"}})
      .arg<&Params::rounding>({.doc = "of the long side: nearest as MMAction2, floor as PySlowFast",
                               .one_of = {"floor", "nearest"}})
      .arg<&Params::scaling>({.doc = scaling_doc});
}

std::string RandomShortSide::check(const Params& p) {
  return p.max_size < p.min_size ? "max_size lies below min_size" : "";
}

void RandomShortSide::apply(data::Clip& clip, Random& random) const {
  const int size = p_.distribution == "integer"
                       ? static_cast<int>(random.integer(p_.min_size, p_.max_size))
                       : random_short_side(p_.min_size, p_.max_size, p_.distribution == "inverse", random);
  for (auto& g : clip.crops) {
    const auto [width, height] = short_side_size(g.out_width, g.out_height, size, p_.rounding == "floor");
    g = scaled(g, width, height, p_.scaling);
  }
}

}  // namespace marey::datasets
