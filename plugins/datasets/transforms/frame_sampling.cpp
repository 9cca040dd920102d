#include "frame_sampling.hpp"

namespace marey::datasets {
namespace {

// Single precision, and from the far end in the second half: a zoo's published frames depend on both.
std::vector<double> linspace(double from, double to, std::int64_t count) {
  const auto first = static_cast<float>(from), last = static_cast<float>(to);
  if (count == 1) return {first};
  const float step = (last - first) / static_cast<float>(count - 1);
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(i < count / 2 ? first + step * static_cast<float>(i)
                                : last - step * static_cast<float>(count - 1 - i));
  return out;
}

// Whole steps over the span, rounded down.
std::vector<double> whole_steps(double span, std::int64_t count) {
  std::vector<double> out(static_cast<std::size_t>(count), 0.0);
  const double step = count > 1 ? (span - 1) / static_cast<double>(count - 1) : 0;
  for (std::int64_t i = 1; i < count; ++i)
    out[static_cast<std::size_t>(i)] = std::trunc(i == count - 1 ? span - 1 : step * static_cast<double>(i));
  return out;
}

}  // namespace

double clip_span(const SamplingRule& rule, double fps, bool training) {
  const auto length = static_cast<double>(rule.clip_len * rule.interval);
  if (rule.target_fps || rule.stretch) {
    const double ratio = rule.target_fps && fps > 0 ? fps / *rule.target_fps : 1.0;
    return std::max(1.0, length * ratio);
  }
  return training ? length : static_cast<double>((rule.clip_len - 1) * rule.interval + 1);
}

std::vector<double> test_starts(const SamplingRule& rule, std::int64_t frames, double span) {
  const auto total = static_cast<double>(frames), count = static_cast<double>(rule.num_clips);
  const double room = std::max(total - span, 0.0);
  std::vector<double> starts;
  if (rule.leading) {
    for (std::int64_t i = 0; i < rule.num_clips; ++i) starts.push_back(room * static_cast<double>(i) / count);
    return starts;
  }
  if (rule.clip_len == 1 &&
      !rule.stretch) {  // single frames: the middles of equal segments, then their beginnings
    const double segment = total / count;
    for (std::int64_t i = 0; i < rule.num_clips; ++i)
      starts.push_back(static_cast<double>(i) * segment + segment / 2);
    if (rule.twice_sample)
      for (std::int64_t i = 0; i < rule.num_clips; ++i) starts.push_back(static_cast<double>(i) * segment);
    return starts;
  }
  const std::int64_t clips = rule.num_clips * (rule.twice_sample ? 2 : 1);
  if (clips == 1) return {std::floor(room / 2)};
  double step = room / (count - 1);
  if (rule.target_fps || rule.stretch) step = std::floor(step);
  for (std::int64_t i = 0; i < clips; ++i) starts.push_back(std::nearbyint(static_cast<double>(i) * step));
  return starts;
}

std::vector<std::int64_t> clip_frames(const SamplingRule& rule, double start, double span,
                                      std::int64_t frames) {
  std::vector<double> places;
  if (rule.stretch) {
    places = linspace(start, start + span - 1, rule.clip_len);
  } else if (rule.target_fps) {
    places = whole_steps(span, rule.clip_len);
    for (double& p : places) p += start;
  } else {
    for (std::int64_t i = 0; i < rule.clip_len; ++i)
      places.push_back(start + static_cast<double>(i * rule.interval));
  }
  const auto total = static_cast<double>(frames);
  double last = 0;
  std::vector<std::int64_t> out;
  for (double p : places) {
    if (rule.out_of_bound == "loop")
      p = std::fmod(p, total);
    else if (rule.out_of_bound == "clamp")
      p = std::clamp(p, 0.0, total - 1);
    else
      last = p = p < total ? std::max(p, last) : last;
    out.push_back(static_cast<std::int64_t>(p));
  }
  return out;
}

}  // namespace marey::datasets
