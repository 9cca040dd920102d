#include "media/picture_decoder.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>

namespace marey::media {
namespace {

constexpr std::size_t max_bytes = 1u << 30;

PacketHandle packet_of(std::string_view bytes) {
  auto packet = new_packet();
  if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) throw std::bad_alloc();
  std::memcpy(packet->data, bytes.data(), bytes.size());
  packet->flags |= AV_PKT_FLAG_KEY;  // else the png decoder adds the picture before it
  return packet;
}

Decoder decoder_for(AVCodecID id, std::int64_t max_pixels, const std::filesystem::path& path) {
  const AVCodec* codec = avcodec_find_decoder(id);
  if (!codec) fail(path, fmt::format("this libavcodec cannot decode {}", avcodec_get_name(id)));
  const std::unique_ptr<AVCodecParameters, void (*)(AVCodecParameters*)> parameters(
      avcodec_parameters_alloc(), [](AVCodecParameters* p) { avcodec_parameters_free(&p); });
  if (!parameters) throw std::bad_alloc();
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = id;
  return Decoder(path, *codec, *parameters, {.max_pixels = max_pixels});
}

unsigned byte_at(std::string_view s, std::size_t at) { return static_cast<unsigned char>(s[at]); }
int word_at(std::string_view s, std::size_t at) {
  return static_cast<int>(byte_at(s, at) << 8 | byte_at(s, at + 1));
}

std::optional<PictureSize> jpeg_size(std::string_view s) {
  for (std::size_t at = 2; at + 9 < s.size();) {
    if (byte_at(s, at) != 0xff) return {};
    const unsigned marker = byte_at(s, at + 1);
    if (marker == 0xff) {  // filler
      ++at;
      continue;
    }
    const bool frame_header =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame_header) return PictureSize{word_at(s, at + 7), word_at(s, at + 5)};
    if (marker == 0xda || marker == 0xd9) return {};
    at += 2 + static_cast<std::size_t>(word_at(s, at + 2));
  }
  return {};
}

}  // namespace

AVCodecID picture_format(std::string_view bytes) {
  using namespace std::string_view_literals;
  const auto begins = [&](std::string_view with, std::size_t at = 0) {
    return bytes.size() >= at + with.size() && bytes.substr(at, with.size()) == with;
  };
  if (begins("\x89PNG\r\n\x1a\n"sv)) return AV_CODEC_ID_PNG;
  if (begins("\xff\xd8\xff"sv)) return AV_CODEC_ID_MJPEG;
  if (begins("GIF8"sv)) return AV_CODEC_ID_GIF;
  if (begins("BM"sv)) return AV_CODEC_ID_BMP;
  if (begins("RIFF"sv) && begins("WEBP"sv, 8)) return AV_CODEC_ID_WEBP;
  if (begins("II*\0"sv) || begins("MM\0*"sv)) return AV_CODEC_ID_TIFF;
  if (begins("P4"sv) || begins("P5"sv) || begins("P6"sv)) return AV_CODEC_ID_PPM;
  return AV_CODEC_ID_NONE;
}

std::optional<PictureSize> picture_size(std::string_view bytes) {
  std::optional<PictureSize> size;
  const AVCodecID id = picture_format(bytes);
  if (id == AV_CODEC_ID_MJPEG) size = jpeg_size(bytes);
  if (id == AV_CODEC_ID_PNG && bytes.size() >= 24 && byte_at(bytes, 16) < 0x80 && byte_at(bytes, 20) < 0x80)
    size = PictureSize{word_at(bytes, 16) << 16 | word_at(bytes, 18),
                       word_at(bytes, 20) << 16 | word_at(bytes, 22)};
  if (size && (size->width < 1 || size->height < 1)) return {};
  return size;
}

const AVFrame& PictureDecoder::decode(std::string_view bytes, const std::filesystem::path& path) {
  const AVCodecID id = picture_format(bytes);
  if (id == AV_CODEC_ID_NONE)
    fail(path, bytes.empty() ? "is empty"
                             : "is not a picture of a known format (png, jpeg, gif, bmp, webp, tiff, ppm)");
  if (bytes.size() > max_bytes) fail(path, "is larger than 1 GiB");
  // libav would fill the lost part of a cut jpeg with grey, and say nothing.
  if (id == AV_CODEC_ID_MJPEG && bytes.rfind("\xff\xd9") == std::string_view::npos)
    fail(path, "cannot be decoded: it is cut short");
  // A decoder that met damage, or was drained, is not used again.
  if (!decoder_ || format_ != id) {
    decoder_.emplace(decoder_for(id, max_pixels_, path));
    format_ = id;
  }
  const auto packet = packet_of(bytes);
  av_frame_unref(frame_.get());
  const int sent = decoder_->send(*packet, 0, true);
  bool whole = sent >= 0 && decoder_->receive(*frame_);
  if (sent >= 0 && !whole) {
    decoder_->send_end();
    whole = decoder_->receive(*frame_);
    decoder_.reset();
  }
  if (sent < 0) {
    decoder_.reset();
    fail(path, "cannot be decoded", sent);
  }
  if (!whole || frame_->decode_error_flags != 0) {
    decoder_.reset();
    fail(path, "cannot be decoded: it is damaged or cut short");
  }
  return *frame_;
}

}  // namespace marey::media
