// Encodes pictures of one size, one after the other.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace marey::media {

struct PictureFormat {
  std::string extension = "jpg";  // jpg or png
  int quality = 2;                // of jpg: the scale of ffmpeg's -q:v, from 1 (best) to 31
};

class PictureWriter {
 public:
  // Throws UsageError for a format that is not known, MediaError when this libavcodec cannot write it.
  PictureWriter(const PictureFormat&, int width, int height);
  ~PictureWriter();
  PictureWriter(PictureWriter&&) noexcept;
  std::string_view encode(const std::uint8_t* rgb24);  // valid until the next call

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace marey::media
