// Still pictures and encoded clips, through libav.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace marey::media {

struct Image {  // RGB24, rows of width*3 bytes
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

Image read_image(const std::filesystem::path&);  // jpg, png, …; throws MediaError
void write_png(const std::filesystem::path&, const Image&);

struct WriterOptions {
  int width = 0, height = 0, fps = 25;
  std::string codec = "libx264";  // or mpeg4, …
  int b_frames = -1;              // -1: the codec's default
  int gop = -1;
  int quality = 23;  // crf of libx264, qscale of mpeg4
};

// Writes frames to a file; the container follows the extension. finish() completes it; without it the file is
// removed.
class VideoWriter {
 public:
  VideoWriter(const std::filesystem::path&, const WriterOptions&);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  void add(const std::uint8_t* rgb24);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace marey::media
