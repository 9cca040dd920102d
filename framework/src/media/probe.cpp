#include "media/full_decode.hpp"
#include "media/orientation.hpp"

#include <marey/media/probe.hpp>

extern "C" {
#include <libavutil/md5.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace marey::media {
namespace {

std::string md5(std::span<const std::uint8_t> bytes) {
  std::uint8_t sum[16];
  av_md5_sum(sum, bytes.data(), static_cast<int>(bytes.size()));
  std::string out;
  for (const auto b : sum) out += fmt::format("{:02x}", b);
  return out;
}

std::string planes_md5(const AVFrame& frame) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const int bytes = av_image_get_buffer_size(format, frame.width, frame.height, 1);
  if (bytes <= 0) return {};
  std::vector<std::uint8_t> packed(static_cast<std::size_t>(bytes));
  if (av_image_copy_to_buffer(packed.data(), bytes, frame.data, frame.linesize, format, frame.width,
                              frame.height, 1) < 0)
    return {};
  return md5(packed);
}

std::string stated(const char* name) {
  return name && std::string_view(name) != "unknown" && std::string_view(name) != "unspecified" ? name : "";
}

std::string field_order(AVFieldOrder order) {
  switch (order) {
    case AV_FIELD_PROGRESSIVE:
      return "progressive";
    case AV_FIELD_TT:
    case AV_FIELD_TB:
      return "top field first";
    case AV_FIELD_BB:
    case AV_FIELD_BT:
      return "bottom field first";
    default:
      return {};
  }
}

void describe(const Input& input, Probe& out) {
  const AVStream& stream = input.stream();
  const AVCodecParameters& p = *stream.codecpar;
  out.container = input.container();
  out.codec = avcodec_get_name(p.codec_id);
  out.streams = input.streams();
  out.video_streams = input.video_streams();
  out.stream = stream.index;
  if (stream.nb_frames > 0) out.header_frames = stream.nb_frames;
  out.stored_width = p.width;
  out.stored_height = p.height;
  out.rotation = rotation_of(stream);
  const AVRational aspect =
      stream.sample_aspect_ratio.num > 0 ? stream.sample_aspect_ratio : p.sample_aspect_ratio;
  if (aspect.num > 0) out.pixel_aspect = fmt::format("{}:{}", aspect.num, aspect.den);
  out.header_fps = stream.avg_frame_rate.num > 0 ? av_q2d(stream.avg_frame_rate) : 0;
  out.time_base = fmt::format("{}/{}", stream.time_base.num, stream.time_base.den);
  out.pixel_format = stated(av_get_pix_fmt_name(static_cast<AVPixelFormat>(p.format)));
  out.colour_space = stated(av_color_space_name(p.color_space));
  out.colour_range = stated(av_color_range_name(p.color_range));
  out.field_order = field_order(p.field_order);
}

void add_pixels(VideoReader& reader, std::vector<ProbedFrame>& frames) {
  const auto& info = reader.info();
  const FrameGeometry whole{
      {0, 0, static_cast<double>(info.width), static_cast<double>(info.height)}, info.width, info.height};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(info.width) *
                                   static_cast<std::size_t>(info.height) * 3);
  for (ProbedFrame& f : frames) {
    const FrameRequest request{f.index, whole, pixels.data()};
    reader.read({&request, 1});
    f.seconds = reader.pts_seconds(f.index);
    f.rgb_md5 = md5(pixels);
    std::array<std::uint64_t, 3> sum{};
    for (std::size_t i = 0; i < pixels.size(); ++i) sum[i % 3] += pixels[i];
    for (std::size_t c = 0; c < 3; ++c)
      f.rgb_mean[c] = static_cast<double>(sum[c]) * 3 / static_cast<double>(pixels.size());
  }
}

}  // namespace

Probe probe_video(const std::filesystem::path& path, std::span<const std::int64_t> frames,
                  const ReaderOptions& options) {
  Probe out;
  VideoReader reader(path, options);
  const auto& info = reader.info();
  out.frames = info.frames;
  out.width = info.width;
  out.height = info.height;
  out.fps = info.fps;
  out.duration_seconds = info.duration_seconds;
  std::map<std::int64_t, ProbedFrame> wanted;
  for (const std::int64_t asked : frames) {
    const std::int64_t index = asked < 0 ? asked + info.frames : asked;
    if (index < 0 || index >= info.frames)
      fail(path, fmt::format("frame {} was asked for; the video has frames 0 to {}", asked, info.frames - 1));
    wanted[index].index = index;
  }

  Watch watch(options.time_limit_seconds, options.cancelled);
  Input input(path, options, watch);
  describe(input, out);
  const auto all = decode_all(input, options, watch, [&](std::int64_t index, const AVFrame& frame) {
    if (index == 0) out.pixel_format = stated(av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format)));
    const auto at = wanted.find(index);
    if (at == wanted.end()) return;
    at->second.key = is_key(frame);
    if (frame.best_effort_timestamp != AV_NOPTS_VALUE) at->second.pts = frame.best_effort_timestamp;
    at->second.planes_md5 = planes_md5(frame);
  });
  out.packets = all.packets;
  out.key_frames = all.key_frames;
  out.damage = all.damage;
  out.damage.missing_frames = std::max(out.damage.missing_frames, info.frames - all.frames);

  for (const std::int64_t asked : frames)
    out.shown.push_back(wanted.at(asked < 0 ? asked + info.frames : asked));
  add_pixels(reader, out.shown);
  return out;
}

}  // namespace marey::media
