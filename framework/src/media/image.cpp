#include "media/converter.hpp"
#include "media/decoder.hpp"

#include <marey/core/files.hpp>
#include <marey/media/image.hpp>

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <string_view>

namespace marey::media {
namespace {

constexpr std::int64_t max_pixels = 16384LL * 16384;

// By its first bytes: names lie, and libav's own guessing would also accept whole families of other files.
AVCodecID format_of(std::string_view bytes) {
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

PacketHandle packet_of(std::string_view bytes) {
  auto packet = new_packet();
  if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) throw std::bad_alloc();
  std::memcpy(packet->data, bytes.data(), bytes.size());
  return packet;
}

}  // namespace

Image read_image(const std::filesystem::path& path) {
  std::string bytes;
  try {
    bytes = read_file(path);
  } catch (const Error& e) {
    throw MediaError(e.what());
  }
  const AVCodecID id = format_of(bytes);
  if (id == AV_CODEC_ID_NONE)
    fail(path, "is not a picture of a known format (png, jpeg, gif, bmp, webp, tiff, ppm)");
  const AVCodec* codec = avcodec_find_decoder(id);
  if (!codec) fail(path, fmt::format("this libavcodec cannot decode {}", avcodec_get_name(id)));
  if (bytes.size() > 1u << 30) fail(path, "is larger than 1 GiB");

  const std::unique_ptr<AVCodecParameters, void (*)(AVCodecParameters*)> parameters(
      avcodec_parameters_alloc(), [](AVCodecParameters* p) { avcodec_parameters_free(&p); });
  if (!parameters) throw std::bad_alloc();
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = id;
  Decoder decoder(path, *codec, *parameters, {.max_pixels = max_pixels});
  const auto packet = packet_of(bytes);
  const auto frame = new_frame();
  const int sent = decoder.send(*packet, 0, true);
  if (sent < 0) fail(path, "cannot be decoded", sent);
  decoder.send_end();
  if (!decoder.receive(*frame)) fail(path, "cannot be decoded: it is damaged or cut short");

  Image image{frame->width, frame->height, {}};
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3);
  const FrameGeometry whole{
      {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)}, image.width, image.height};
  try {
    Converter().convert(*frame, whole, {}, image.width, image.height, image.pixels.data());
  } catch (const DataError& e) {
    fail(path, e.what());
  }
  return image;
}

void write_png(const std::filesystem::path& path, const Image& image) {
  if (image.width < 1 || image.height < 1 ||
      image.pixels.size() !=
          static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3)
    fail(path, fmt::format("cannot be written: {} bytes are not an RGB picture of {}x{}", image.pixels.size(),
                           image.width, image.height));
  silence_libav();
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (!codec) fail(path, "cannot be written: this libavcodec has no png encoder");
  CodecHandle encoder(avcodec_alloc_context3(codec));
  if (!encoder) throw std::bad_alloc();
  encoder->width = image.width;
  encoder->height = image.height;
  encoder->pix_fmt = AV_PIX_FMT_RGB24;
  encoder->time_base = {1, 25};
  int result = avcodec_open2(encoder.get(), codec, nullptr);
  const auto frame = new_frame();
  frame->width = image.width;
  frame->height = image.height;
  frame->format = AV_PIX_FMT_RGB24;
  const auto packet = new_packet();
  if (result >= 0) result = av_frame_get_buffer(frame.get(), 0);
  if (result >= 0) {
    const int row = image.width * 3;
    av_image_copy_plane(frame->data[0], frame->linesize[0], image.pixels.data(), row, row, image.height);
    result = avcodec_send_frame(encoder.get(), frame.get());
  }
  if (result >= 0) result = avcodec_send_frame(encoder.get(), nullptr);
  if (result >= 0) result = avcodec_receive_packet(encoder.get(), packet.get());
  if (result < 0) fail(path, "cannot be encoded as png", result);
  write_file_atomically(
      path, {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)});
}

}  // namespace marey::media
