// Bilinear scaling as three other libraries do it, to the rounding of their last step. Each output pixel
// stands for a place of the source: from + (j + 0.5) * step, in pixels of a source of `size` along one axis.
//
//   torch   torch.nn.functional.interpolate(mode="bilinear", align_corners=False, antialias=False)
//   cv2     cv2.resize(INTER_LINEAR) on bytes: weights of 11 bits
//   pillow  PIL.Image.resize(BILINEAR): a triangle as wide as the step, rows to bytes before columns
#pragma once
#include <marey/media/frame_source.hpp>

#include <cstdint>
#include <vector>

namespace marey::media {

struct Axis {
  int size = 0;     // of the source
  double from = 0;  // left edge of the first output pixel
  double step = 1;  // source pixels that one output pixel stands for
  int out = 0;
  int low = 0, high = 0;  // pixels of the source that take part: [low, high)
};

// The weights of one axis: output j is the sum of weights[j * width + k] * source[first[j] + k], k < width.
struct Taps {
  int width = 0;
  std::vector<int> first;
  std::vector<double> weights;
};
Taps taps(Scaling, const Axis&);

// RGB rows of x.size * 3 bytes in, rows of x.out * 3 values out. Only for exact scaling.
void resample(Scaling, const std::uint8_t* in, const Axis& x, const Axis& y, std::uint8_t* out);
// The same before the rounding to bytes, for torch's rule only.
void resample_torch(const std::uint8_t* in, const Axis& x, const Axis& y, float* out);

}  // namespace marey::media
