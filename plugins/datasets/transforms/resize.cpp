#include "resize.hpp"

#include <marey/data/geometry.hpp>

#include <algorithm>
#include <cmath>

namespace marey::datasets {

Schema<Resize::Params> Resize::schema() {
  return Schema<Params>{}
      .arg<&Params::size>({.doc = "the short side of the result with keep_ratio, both sides without",
                           .unit = "pixels",
                           .min = 1,
                           .max = 16384,
                           .required = true})
      .arg<&Params::max_size>({.doc = "each clip draws its size between `size` and this one, both included",
                               .unit = "pixels",
                               .min = 1,
                               .max = 16384})
      .arg<&Params::keep_ratio>(
          {.doc = "keep the shape of the picture; false: a square, distorted if need be"})
      .arg<&Params::rounding>({.doc = "of the long side: nearest as MMAction2, floor as PySlowFast",
                               .one_of = {"nearest", "floor"}})
      .arg<&Params::scaling>({.doc = scaling_doc});
}

std::string Resize::check(const Params& p) {
  if (p.max_size && *p.max_size < p.size) return "max_size lies below size";
  return {};
}

std::pair<int, int> short_side_size(int width, int height, int size, bool floor) {
  const int shorter = std::min(width, height), longer = std::max(width, height);
  double scaled = 0;
  if (floor)
    scaled = static_cast<double>(longer) / shorter * size;
  else
    scaled = longer * (static_cast<double>(size) / shorter) + 0.5;
  const int other = std::max(static_cast<int>(scaled), size);
  return width <= height ? std::pair{size, other} : std::pair{other, size};
}

void Resize::apply(data::Clip& clip, Random& random) const {
  const int size = p_.max_size ? static_cast<int>(random.integer(p_.size, *p_.max_size)) : p_.size;
  for (auto& g : clip.crops) {
    const auto [width, height] =
        p_.keep_ratio ? short_side_size(g.out_width, g.out_height, size, p_.rounding == "floor")
                      : std::pair{size, size};
    g = scaled(g, width, height, p_.scaling);
  }
}

}  // namespace marey::datasets
