// Chooses the frames of each temporal clip. The rules of MMAction2 and of PySlowFast are sets of parameters:
//
//   MMAction2    spacing = "interval", placement = "even", out_of_bound = "loop" or "repeat_last"
//   PySlowFast   spacing = "stretch", placement = "leading" (MViT: "even"), out_of_bound = "clamp",
//   target_fps = 30
#pragma once
#include "frame_sampling.hpp"

#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

namespace marey::datasets {

class SampleFrames final : public Transform {
 public:
  struct Params {
    std::int64_t clip_len = 0, interval = 1, num_clips = 1;
    std::string spacing = "interval", placement = "even", out_of_bound = "loop";
    std::optional<double> target_fps;
    bool twice_sample = false, keep_tail_frames = false;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit SampleFrames(const Params&);

  void apply(data::Clip&, Random&) const override;

 private:
  SamplingRule rule_;
};

}  // namespace marey::datasets
