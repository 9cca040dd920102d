// Which frames a clip takes, as the zoos do it. Pure functions: a generator gives `uniform(low, high)` and
// `integer(low, high)`, so that tests can hand in the draws of another program.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace marey::datasets {

struct SamplingRule {
  std::int64_t clip_len = 32, interval = 1, num_clips = 1;
  bool stretch = false;  // else by the interval
  bool leading = false;  // else from the first to the last frame
  bool twice_sample = false, keep_tail_frames = false;
  std::string out_of_bound = "loop";
  std::optional<double> target_fps;
};

// Frames that a clip covers in a video of so many frames a second (0: unknown).
double clip_span(const SamplingRule&, double fps, bool training);
// First frame of each clip in a video of so many frames; not yet whole numbers under every rule.
std::vector<double> test_starts(const SamplingRule&, std::int64_t frames, double span);
// All frames of one clip, within the video.
std::vector<std::int64_t> clip_frames(const SamplingRule&, double start, double span, std::int64_t frames);

template <class Generator>
std::vector<double> train_starts(const SamplingRule& rule, std::int64_t frames, double span,
                                 Generator& random) {
  const auto clips = static_cast<std::size_t>(rule.num_clips);
  const double count = static_cast<double>(rule.num_clips), room = static_cast<double>(frames) - span + 1;
  std::vector<double> starts(clips, 0.0);
  if (rule.stretch) {
    for (double& start : starts) start = random.uniform(0, std::max(room - 1, 0.0));
    return starts;
  }
  if (rule.keep_tail_frames) {
    if (room > 0)
      for (std::size_t i = 0; i < clips; ++i)
        starts[i] = std::trunc(static_cast<double>(i) * (room / count) + random.uniform(0, room / count));
    return starts;
  }
  const double segment = std::floor(room / count);
  if (segment > 0) {
    for (std::size_t i = 0; i < clips; ++i)
      starts[i] = static_cast<double>(i) * segment +
                  static_cast<double>(random.integer(0, static_cast<std::int64_t>(segment) - 1));
  } else if (static_cast<double>(frames) > std::max(count, span)) {
    for (double& start : starts)
      start = static_cast<double>(random.integer(0, static_cast<std::int64_t>(room) - 1));
    std::ranges::sort(starts);
  } else if (segment == 0) {
    for (std::size_t i = 0; i < clips; ++i)
      starts[i] = std::nearbyint(static_cast<double>(i) * (room / count));
  }
  return starts;
}

}  // namespace marey::datasets
