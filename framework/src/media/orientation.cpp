#include "media/orientation.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace marey::media {
namespace {

const std::int32_t* display_matrix(const AVStream& stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)  // side data moved to the codec parameters
  const AVPacketSideData* data = av_packet_side_data_get(
      stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  return data && data->size >= 36 ? reinterpret_cast<const std::int32_t*>(data->data) : nullptr;
#else
  size_t size = 0;
  const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  return data && size >= 36 ? reinterpret_cast<const std::int32_t*>(data) : nullptr;
#endif
}

}  // namespace

Orientation orientation_of(const AVStream& stream) {
  const std::int32_t* m = display_matrix(stream);
  if (!m) return {};
  // shown x = m0 p + m3 q, shown y = m1 p + m4 q for a stored (p, q).
  const auto size = [&](int i) { return std::llabs(m[i]); };
  if (size(0) + size(4) >= size(1) + size(3)) return {false, m[0] < 0, m[4] < 0};
  return {true, m[1] < 0, m[3] < 0};
}

int rotation_of(const AVStream& stream) {
  const std::int32_t* m = display_matrix(stream);
  if (!m) return 0;
  const double angle = av_display_rotation_get(m);
  return std::isnan(angle) ? 0 : static_cast<int>(std::lround(angle));
}

Rect to_stored(const Orientation& turn, const Rect& shown, double stored_width, double stored_height) {
  Rect r = turn.transpose ? Rect{shown.y, shown.x, shown.height, shown.width} : shown;
  if (turn.mirror_x) r.x = stored_width - r.x - r.width;
  if (turn.mirror_y) r.y = stored_height - r.y - r.height;
  return r;
}

void copy_turned(const Orientation& turn, const std::uint8_t* stored, int stored_stride, int out_width,
                 int out_height, bool flip, std::uint8_t* out) {
  const int stored_width = turn.transpose ? out_height : out_width;
  const int stored_height = turn.transpose ? out_width : out_height;
  // Steps through the stored bytes for one step of shown x and of shown y.
  const std::ptrdiff_t along_p = turn.mirror_x ? -3 : 3;
  const std::ptrdiff_t along_q = turn.mirror_y ? -std::ptrdiff_t{stored_stride} : stored_stride;
  const std::uint8_t* first = stored + (turn.mirror_x ? std::ptrdiff_t{3} * (stored_width - 1) : 0) +
                              (turn.mirror_y ? std::ptrdiff_t{stored_stride} * (stored_height - 1) : 0);
  std::ptrdiff_t step_x = turn.transpose ? along_q : along_p;
  const std::ptrdiff_t step_y = turn.transpose ? along_p : along_q;
  if (flip) {
    first += step_x * (out_width - 1);
    step_x = -step_x;
  }
  for (int y = 0; y < out_height; ++y) {
    const std::uint8_t* from = first + step_y * y;
    if (step_x == 3) {
      std::memcpy(out, from, std::size_t{3} * static_cast<std::size_t>(out_width));
      out += std::size_t{3} * static_cast<std::size_t>(out_width);
      continue;
    }
    for (int x = 0; x < out_width; ++x, from += step_x, out += 3) {
      out[0] = from[0];
      out[1] = from[1];
      out[2] = from[2];
    }
  }
}

}  // namespace marey::media
