// Decoded frames to RGB24: crop, scale, turn and mirror. Only the cropped part is touched.
#pragma once
#include "media/libav.hpp"
#include "media/orientation.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace marey::media {

// A part of a frame in whole pixels.
struct PixelRect {
  int x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

// Snaps to whole pixels inside the picture. Throws DataError when the crop is empty, not finite or leaves the
// picture by more than half a pixel.
PixelRect snap(const Rect& crop, int width, int height);

class Converter {
 public:
  // `geometry` speaks of the shown picture of shown_width x shown_height, as announced when the file was
  // opened; a frame of another size (some streams change it) is taken as the same picture at another
  // resolution.
  void convert(const AVFrame&, const FrameGeometry& geometry, const Orientation&, int shown_width,
               int shown_height, std::uint8_t* out);

 private:
  struct Shape {  // all that a scaler depends on
    int format, full_range, colorspace;
    int width, height, odd_x, odd_y;
    int out_width, out_height;
    bool fast;
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Entry {
    Shape shape;
    ScalerHandle scaler;
  };
  SwsContext& scaler_for(const Shape&);
  void convert_exact(const AVFrame&, const FrameGeometry&, const Orientation&, int shown_width,
                     int shown_height, std::uint8_t* out);

  std::deque<Entry> scalers_;  // most recently made last
  std::vector<std::uint8_t> rows_;
  std::vector<std::uint8_t> region_;  // of exact scaling
};

}  // namespace marey::media
