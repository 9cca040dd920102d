#include "train/shape_check.hpp"

#include <marey/core/error.hpp>
#include <marey/data/pipeline.hpp>

#include <fmt/format.h>

namespace marey {

namespace {

// Long and large enough for any sampling and crop.
const media::VideoInfo video{
    .frames = 9000, .width = 1280, .height = 960, .fps = 30, .duration_seconds = 300};

}  // namespace

void check_shapes(const Dataset& data, bool training, const Model& model, std::string_view which) {
  if (data.size() == 0) return;
  data::Clip clip;
  try {
    Random random(0, 0, 0);
    clip = data::plan_clip(data.sample(0), video, data.pipeline(), training, random);
  } catch (const DataError&) {
    return;  // the made-up video does not suit this one sample
  }
  const auto frames = static_cast<std::int64_t>(clip.length());
  const media::FrameGeometry& crop = clip.crops.front();
  if (const std::string why = model.refuses(frames, crop.out_height, crop.out_width); !why.empty())
    throw UsageError(
        fmt::format("{} gives clips of {} frames of {}x{} pixels (width x height), which the model does not "
                    "take: {}",
                    which, frames, crop.out_width, crop.out_height, why));
}

}  // namespace marey
