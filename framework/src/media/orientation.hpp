// How a stored picture is turned before it is shown: one of the eight that keep pixels on their grid.
#pragma once
#include "media/libav.hpp"

#include <marey/media/frame_source.hpp>

#include <cstdint>

namespace marey::media {

struct Orientation {
  bool transpose = false;                   // shown x runs along stored y
  bool mirror_x = false, mirror_y = false;  // stored x (y) runs against the shown axis it lies on
};

// From the display matrix of the container; angles between the quarter turns are rounded to the nearest.
Orientation orientation_of(const AVStream&);

// The same as an angle: quarter turns counter-clockwise, in degrees from -180 to 180, as ffprobe prints it.
int rotation_of(const AVStream&);

// The stored rectangle that is shown as `shown`; both pictures' sizes belong to the stored one.
Rect to_stored(const Orientation&, const Rect& shown, double stored_width, double stored_height);

// Turns a stored RGB24 picture with padded rows into `out`, which has none; then mirrors it left-right on
// `flip`.
void copy_turned(const Orientation&, const std::uint8_t* stored, int stored_stride, int out_width,
                 int out_height, bool flip, std::uint8_t* out);

}  // namespace marey::media
