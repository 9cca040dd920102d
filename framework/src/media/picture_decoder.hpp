// Decodes still pictures of any format that we know, one after the other with one decoder.
#pragma once
#include "media/decoder.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace marey::media {

// By its first bytes: names lie, and libav's own guessing would also accept whole families of other files.
// AV_CODEC_ID_NONE: no picture.
AVCodecID picture_format(std::string_view bytes);

struct PictureSize {
  int width = 0, height = 0;
};
// From the header of a jpeg or png; nullopt for other formats and damaged ones.
std::optional<PictureSize> picture_size(std::string_view bytes);

class PictureDecoder {
 public:
  explicit PictureDecoder(std::int64_t max_pixels) : max_pixels_(max_pixels), frame_(new_frame()) {}
  // Throws MediaError. `path` is for messages. Valid until the next call.
  const AVFrame& decode(std::string_view bytes, const std::filesystem::path& path);

 private:
  std::int64_t max_pixels_;
  AVCodecID format_ = AV_CODEC_ID_NONE;
  std::optional<Decoder> decoder_;
  FrameHandle frame_;
};

}  // namespace marey::media
