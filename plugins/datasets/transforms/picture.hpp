// Crops of the present picture, checked to lie within it.
#pragma once
#include <marey/core/error.hpp>
#include <marey/data/geometry.hpp>

#include <fmt/format.h>

namespace marey::datasets {

inline media::FrameGeometry crop_at(const media::FrameGeometry& g, int left, int top, int width, int height) {
  return data::cropped(g, {static_cast<double>(left), static_cast<double>(top), static_cast<double>(width),
                           static_cast<double>(height)});
}

inline void check_fits(const media::FrameGeometry& g, int size) {
  if (size > g.out_width || size > g.out_height)
    throw DataError(
        fmt::format("a crop of {}x{} does not fit into a picture of {}x{}; put a Resize before it", size,
                    size, g.out_width, g.out_height));
}

}  // namespace marey::datasets
