// One sample on its way through the pipeline: which frames, which part of them, what labels. No pixels yet.
#pragma once
#include <marey/media/frame_source.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace marey::data {

// What a data set says about one index.
struct Sample {
  std::string source;                // path of the video
  std::vector<std::int64_t> labels;  // class indices; empty: unlabelled
  std::size_t index = 0;             // in the data set
};

// Test views are the product of temporal clips and spatial crops, clip-major: view = clip * crops + crop.
struct Clip {
  Sample sample;
  media::VideoInfo info;
  bool training = false;

  std::vector<std::vector<std::int64_t>>
      frames;                               // [temporal clips][T] frame indices; set by a sampling transform
  std::vector<media::FrameGeometry> crops;  // spatial crops; one covering the whole frame at first
  std::vector<std::int64_t> labels;         // may change with a flip

  std::size_t views() const { return frames.size() * crops.size(); }
  std::size_t length() const { return frames.empty() ? 0 : frames.front().size(); }  // T
};

}  // namespace marey::data
