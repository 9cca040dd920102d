// Short ways to whole frames of a reader, for tests.
#pragma once
#include <marey/media/video_reader.hpp>

#include <cstdint>
#include <vector>

namespace marey::test {

using Pixels = std::vector<std::uint8_t>;

inline media::FrameGeometry whole(const media::VideoInfo& info) {
  return {{0, 0, static_cast<double>(info.width), static_cast<double>(info.height)}, info.width, info.height};
}

inline std::vector<Pixels> read_frames(media::FrameSource& source, const std::vector<std::int64_t>& indices,
                                       const media::FrameGeometry& geometry) {
  std::vector<Pixels> out;
  std::vector<media::FrameRequest> requests;
  out.reserve(indices.size());
  for (auto index : indices) {
    out.emplace_back(static_cast<std::size_t>(geometry.out_width) *
                     static_cast<std::size_t>(geometry.out_height) * 3);
    requests.push_back({index, geometry, out.back().data()});
  }
  source.read(requests);
  return out;
}

inline Pixels read_frame(media::FrameSource& source, std::int64_t index) {
  return read_frames(source, {index}, whole(source.info())).front();
}

}  // namespace marey::test
