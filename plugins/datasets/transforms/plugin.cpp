#include "center_crop.hpp"
#include "flip.hpp"
#include "random_crop.hpp"
#include "random_resized_crop.hpp"
#include "random_short_side.hpp"
#include "repeat_frame.hpp"
#include "resize.hpp"
#include "sample_frames.hpp"
#include "ten_crop.hpp"
#include "three_crop.hpp"
#include "uniform_crop.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("transforms", "0.1.0") {
  using namespace marey::datasets;
  registry.add<marey::Transform, CenterCrop>("CenterCrop", "the square in the middle of the picture");
  registry.add<marey::Transform, Flip>("Flip", "mirrors clips left-right, with a map for mirror classes");
  registry.add<marey::Transform, RandomCrop>("RandomCrop", "a square at a random place");
  registry.add<marey::Transform, RandomResizedCrop>("RandomResizedCrop",
                                                    "a crop of random area and shape, scaled to a square");
  registry.add<marey::Transform, RandomShortSide>(
      "RandomShortSide", "sets the short side of the picture to a size drawn for each clip");
  registry.add<marey::Transform, RepeatFrame>("RepeatFrame",
                                              "one frame instead of all: a control without motion");
  registry.add<marey::Transform, Resize>("Resize", "sets the short side of the picture, or both sides");
  registry.add<marey::Transform, SampleFrames>("SampleFrames", "chooses the frames of each temporal clip");
  registry.add<marey::Transform, TenCrop>("TenCrop",
                                          "four corners and the middle, each also mirrored: ten views");
  registry.add<marey::Transform, ThreeCrop>("ThreeCrop", "three squares along the longer side, each a view");
  registry.add<marey::Transform, UniformCrop>("UniformCrop",
                                              "one of the three squares along the longer side");
}
