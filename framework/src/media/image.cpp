#include "media/converter.hpp"
#include "media/picture_decoder.hpp"

#include <marey/core/files.hpp>
#include <marey/media/image.hpp>

#include <fmt/format.h>

#include <new>
#include <string>

namespace marey::media {
namespace {

constexpr std::int64_t max_pixels = 16384LL * 16384;

}  // namespace

Image read_image(const std::filesystem::path& path) {
  std::string bytes;
  try {
    bytes = read_file(path);
  } catch (const Error& e) {
    throw MediaError(e.what());
  }
  PictureDecoder decoder(max_pixels);
  const AVFrame* frame = &decoder.decode(bytes, path);

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
