// Numbers about a list: its classes and, where there is an index, its videos.
#pragma once
#include <marey/data/annotation_list.hpp>
#include <marey/data/video_index.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace marey::data {

struct Spread {  // of the rows that are known
  double least = 0, median = 0, most = 0, mean = 0;
};
Spread spread_of(std::vector<double>);

struct ListStats {
  std::size_t rows = 0, unlabelled = 0;
  std::vector<std::int64_t> per_class;  // up to the greatest label; empty classes count 0
  std::size_t empty_classes = 0;
  Spread class_sizes;

  // From the index:
  std::size_t known = 0, unreadable = 0;  // rows
  double seconds = 0;                     // of all known rows
  Spread frames, durations, key_frame_distance;
  std::vector<std::pair<std::string, std::size_t>> rates, sizes, codecs;  // most frequent first
};

ListStats stats_of(const AnnotationList&, const VideoIndex&);

}  // namespace marey::data
