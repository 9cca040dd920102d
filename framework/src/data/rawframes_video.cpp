#include "data/rawframes_video.hpp"

#include <marey/core/files.hpp>
#include <marey/media/frame_names.hpp>
#include <marey/media/video_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

namespace marey::data {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t frames_at_once = 16;
constexpr int max_side = 16384;

struct Size {
  int width, height;
};

Size output_size(const media::VideoInfo& info, const RawframesOptions& o) {
  const double w = info.width, h = info.height;
  const auto scaled = [](double v) {
    return static_cast<int>(std::clamp(std::lround(v), 1L, long{max_side}));
  };
  if (o.new_short > 0)
    return w < h ? Size{o.new_short, scaled(h * o.new_short / w)}
                 : Size{scaled(w * o.new_short / h), o.new_short};
  if (o.new_width > 0 && o.new_height > 0) return {o.new_width, o.new_height};
  if (o.new_width > 0) return {o.new_width, scaled(h * o.new_width / w)};
  if (o.new_height > 0) return {scaled(w * o.new_height / h), o.new_height};
  return {info.width, info.height};
}

std::vector<std::int64_t> wanted(const media::VideoReader& reader, double fps) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(reader.info().frames));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  if (fps <= 0) return all;
  std::vector<double> seconds;
  for (const auto i : all) seconds.push_back(reader.pts_seconds(i));
  return frames_at_rate(seconds, reader.info().duration_seconds, fps);
}

void write_plain(const fs::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw Error(fmt::format("{}: cannot be written; is the disk full?", file.string()));
}

// Removed with all its files unless it was kept.
class PartialFolder {
 public:
  explicit PartialFolder(const fs::path& folder)
      : path_(folder.parent_path() / ("." + folder.filename().string() + ".partial")) {
    fs::remove_all(path_);  // of a run that was killed
    fs::create_directories(path_);
  }
  ~PartialFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PartialFolder(const PartialFolder&) = delete;
  const fs::path& path() const { return path_; }
  void keep_as(const fs::path& folder) {
    fs::rename(path_, folder);
    fsync_folder(folder.parent_path());
  }

 private:
  fs::path path_;
};

}  // namespace

std::vector<std::int64_t> frames_at_rate(const std::vector<double>& seconds, double duration_seconds,
                                         double fps) {
  std::vector<std::int64_t> out;
  if (seconds.empty()) return out;
  constexpr double slack = 1e-6;  // times are decimal fractions of binary ones
  const auto step = [&](double at) { return std::floor(at * fps + 0.5 + slack); };
  const double end = std::max(1.0, step(std::max(duration_seconds, seconds.back())));
  std::size_t i = 0;
  for (std::int64_t k = 0; static_cast<double>(k) < end; ++k) {
    while (i + 1 < seconds.size() && step(seconds[i + 1]) <= static_cast<double>(k)) ++i;
    out.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

std::int64_t write_rawframes(const fs::path& video, const fs::path& folder, const RawframesOptions& o) {
  media::VideoReader reader(video);
  const auto& info = reader.info();
  const Size size = output_size(info, o);
  const auto indices = wanted(reader, o.fps);
  if (indices.empty()) throw DataError(fmt::format("{}: holds no frames", video.string()));
  media::PictureWriter writer(o.format, size.width, size.height);
  const media::FrameNames names("img_%05d." + o.format.extension);
  PartialFolder partial(folder);
  const media::FrameGeometry geometry{
      {0, 0, static_cast<double>(info.width), static_cast<double>(info.height)}, size.width, size.height};
  const std::size_t bytes = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3;
  std::vector<std::uint8_t> pixels(bytes * std::min(frames_at_once, indices.size()));
  for (std::size_t from = 0; from < indices.size(); from += frames_at_once) {
    std::vector<media::FrameRequest> requests;
    for (std::size_t i = from; i < std::min(from + frames_at_once, indices.size()); ++i)
      requests.push_back({indices[i], geometry, pixels.data() + (i - from) * bytes});
    reader.read(requests);
    for (std::size_t i = 0; i < requests.size(); ++i)
      write_plain(partial.path() / names.name(static_cast<std::int64_t>(from + i) + 1, {}),
                  writer.encode(requests[i].pixels));
  }
  partial.keep_as(folder);
  return static_cast<std::int64_t>(indices.size());
}

}  // namespace marey::data
