#include "data/motion_texture.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace marey::data {
namespace {

namespace fs = std::filesystem;

constexpr int smallest_side = 96;  // less has no room for a disc and a background

media::Image halved(const media::Image& from) {
  media::Image to{from.width / 2, from.height / 2, {}};
  to.pixels.resize(static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height) * 3);
  const auto row = static_cast<std::size_t>(from.width) * 3;
  std::size_t out = 0;
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x)
      for (int c = 0; c < 3; ++c) {
        const auto* p =
            &from.pixels[static_cast<std::size_t>(2 * y) * row + static_cast<std::size_t>(2 * x * 3 + c)];
        to.pixels[out++] = static_cast<std::uint8_t>((p[0] + p[3] + p[row] + p[row + 3] + 2) / 4);
      }
  return to;
}

// Folds any coordinate into [0, size - 1], as between two mirrors.
float fold(float at, int size) {
  const float period = 2.0f * static_cast<float>(size - 1);
  const float t = std::fabs(std::fmod(at, period));
  return t > period / 2 ? period - t : t;
}

class Photo final : public Texture {
 public:
  explicit Photo(media::Image image) {
    levels_.push_back(std::move(image));
    while (std::min(levels_.back().width, levels_.back().height) >= 16)
      levels_.push_back(halved(levels_.back()));
  }

  Colour at(float x, float y, float scale) const override {
    const auto finest = std::max(0.0f, std::log2(std::max(scale, 1.0f)));
    const auto level = std::min(static_cast<std::size_t>(std::lround(finest)), levels_.size() - 1);
    const media::Image& image = levels_[level];
    const float shrink = 1.0f / static_cast<float>(1u << level);
    const float u = fold(x * shrink, image.width), v = fold(y * shrink, image.height);
    const int x0 = std::min(static_cast<int>(u), image.width - 2),
              y0 = std::min(static_cast<int>(v), image.height - 2);
    const float fx = u - static_cast<float>(x0), fy = v - static_cast<float>(y0);
    const auto row = static_cast<std::size_t>(image.width) * 3;
    const auto* p = &image.pixels[static_cast<std::size_t>(y0) * row + static_cast<std::size_t>(x0) * 3];
    Colour out;
    for (std::size_t c = 0; c < 3; ++c) {
      const float top = static_cast<float>(p[c]) * (1 - fx) + static_cast<float>(p[c + 3]) * fx;
      const float below = static_cast<float>(p[row + c]) * (1 - fx) + static_cast<float>(p[row + c + 3]) * fx;
      out[c] = top * (1 - fy) + below * fy;
    }
    return out;
  }

 private:
  std::vector<media::Image> levels_;  // each half as large as the one before
};

bool is_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".bmp" || ending == ".webp";
}

}  // namespace

PhotoTextures load_photos(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw DataError(fmt::format("{}: no such folder of photos", folder.string()));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_picture(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  PhotoTextures out;
  for (const auto& file : files) {
    auto image = media::read_image(file);
    if (std::min(image.width, image.height) < smallest_side) continue;
    auto photo = std::make_shared<Photo>(std::move(image));
    (out.names.size() % 3 == 2 ? out.val : out.train).push_back(std::move(photo));
    out.names.push_back(file.filename().string());
  }
  if (out.val.size() < 2)
    throw DataError(
        fmt::format("{}: holds {} photos of at least {}x{} pixels (png, jpg, bmp, webp); 6 are needed, so "
                    "that train and val share none",
                    folder.string(), out.names.size(), smallest_side, smallest_side));
  return out;
}

}  // namespace marey::data
