#include "sample_frames.hpp"

namespace marey::datasets {

Schema<SampleFrames::Params> SampleFrames::schema() {
  return Schema<Params>{}
      .arg<&Params::clip_len>({.doc = "frames of a clip", .min = 1, .max = 4096, .required = true})
      .arg<&Params::interval>(
          {.doc = "distance between two frames of a clip", .unit = "frames", .min = 1, .max = 100000})
      .arg<&Params::num_clips>({.doc = "temporal clips of a sample; each is a view", .min = 1, .max = 1000})
      .arg<&Params::spacing>(
          {.doc = "interval: every interval-th frame from the start of the clip; stretch: clip_len "
                  "places spread from the first to the last of clip_len * interval frames, each "
                  "rounded down, so that the steps are a little longer than the interval",
           .one_of = {"interval", "stretch"}})
      .arg<&Params::placement>(
          {.doc = "where the clips of a test start (training draws the starts): even: the first at "
                  "the beginning, the last at the end, a single one in the middle; leading: each at "
                  "the beginning of its share of the video, so that the last does not reach the end",
           .one_of = {"even", "leading"}})
      .arg<&Params::out_of_bound>(
          {.doc = "frames beyond the end of a short video: loop: from its beginning again; "
                  "repeat_last: the last frame that the clip takes within it; clamp: its last frame",
           .one_of = {"loop", "repeat_last", "clamp"}})
      .arg<&Params::target_fps>(
          {.doc = "clip_len and interval count frames at this rate: in a video of another rate the "
                  "clip covers the same time; without it they count frames of the file",
           .unit = "frames/s",
           .min = 0.1,
           .max = 1000})
      .arg<&Params::twice_sample>(
          {.doc = "twice as many clips in a test: those of one frame also at the beginning of each "
                  "segment, longer ones further on at the same distance"})
      .arg<&Params::keep_tail_frames>(
          {.doc = "training draws from segments of fractional length, so that the last frames "
                  "of a video are as likely as the others"});
}

std::string SampleFrames::check(const Params& p) {
  if (p.twice_sample && p.num_clips == 1 && p.clip_len > 1)
    return "twice_sample needs num_clips of 2 or more, or clips of one frame";
  if (p.twice_sample && (p.spacing == "stretch" || p.placement == "leading"))
    return "twice_sample goes with spacing = \"interval\" and placement = \"even\"";
  if (p.keep_tail_frames && p.spacing == "stretch")
    return "keep_tail_frames goes with spacing = \"interval\"";
  return {};
}

SampleFrames::SampleFrames(const Params& p)
    : rule_{.clip_len = p.clip_len,
            .interval = p.interval,
            .num_clips = p.num_clips,
            .stretch = p.spacing == "stretch",
            .leading = p.placement == "leading",
            .twice_sample = p.twice_sample,
            .keep_tail_frames = p.keep_tail_frames,
            .out_of_bound = p.out_of_bound,
            .target_fps = p.target_fps} {}

void SampleFrames::apply(data::Clip& clip, Random& random) const {
  const std::int64_t frames = clip.info.frames;
  const double span = clip_span(rule_, clip.info.fps, clip.training);
  const auto starts =
      clip.training ? train_starts(rule_, frames, span, random) : test_starts(rule_, frames, span);
  clip.frames.clear();
  for (const double start : starts) clip.frames.push_back(clip_frames(rule_, start, span, frames));
}

}  // namespace marey::datasets
