#include <marey/data/list_stats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace marey::data {
namespace {

using Counts = std::map<std::string, std::size_t>;

std::vector<std::pair<std::string, std::size_t>> by_frequency(const Counts& counts) {
  std::vector<std::pair<std::string, std::size_t>> out(counts.begin(), counts.end());
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {values.front(), median, values.back(),
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())};
}

ListStats stats_of(const AnnotationList& list, const VideoIndex& index) {
  ListStats out;
  out.rows = list.size();
  // A label may be any number; counting one by one stays bounded.
  constexpr std::int64_t most_classes = 10'000'000;
  out.per_class.assign(static_cast<std::size_t>(std::min(list.max_label() + 1, most_classes)), 0);
  std::vector<double> frames, durations, distances;
  Counts rates, sizes, codecs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto label = list.label(i);
    if (label < 0)
      ++out.unlabelled;
    else if (label < most_classes)
      ++out.per_class[static_cast<std::size_t>(label)];
    const IndexedVideo* v = index.find(list.path(i));
    if (!v) continue;
    ++out.known;
    if (!v->error.empty()) {
      ++out.unreadable;
      continue;
    }
    frames.push_back(static_cast<double>(v->frames));
    durations.push_back(v->duration_seconds);
    if (v->key_frames > 0)
      distances.push_back(static_cast<double>(v->frames) / static_cast<double>(v->key_frames));
    out.seconds += v->duration_seconds;
    ++rates[fmt::format("{:.4g}", v->fps)];
    ++sizes[fmt::format("{}x{}", v->width, v->height)];
    ++codecs[v->codec];
  }
  out.empty_classes = static_cast<std::size_t>(std::ranges::count(out.per_class, 0));
  out.class_sizes = spread_of({out.per_class.begin(), out.per_class.end()});
  out.frames = spread_of(std::move(frames));
  out.durations = spread_of(std::move(durations));
  out.key_frame_distance = spread_of(std::move(distances));
  out.rates = by_frequency(rates);
  out.sizes = by_frequency(sizes);
  out.codecs = by_frequency(codecs);
  return out;
}

}  // namespace marey::data
