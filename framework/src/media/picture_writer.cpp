#include "media/libav.hpp"

#include <marey/media/picture_writer.hpp>
#include <marey/media/video_reader.hpp>

#include <fmt/format.h>

#include <new>

namespace marey::media {

struct PictureWriter::Impl {
  CodecHandle encoder;
  ScalerHandle to_yuv;  // jpg only
  FrameHandle frame = new_frame();
  PacketHandle packet = new_packet();
  std::string what;

  Impl(const PictureFormat& format, int width, int height)
      : what(fmt::format("{} of {}x{}", format.extension, width, height)) {
    silence_libav();
    const bool jpg = format.extension == "jpg";
    if (!jpg && format.extension != "png")
      throw UsageError(
          fmt::format("pictures cannot be written as '{}'; expected jpg or png", format.extension));
    if (jpg && (format.quality < 1 || format.quality > 31))
      throw UsageError(fmt::format("quality {} is out of range: expected 1 (best) to 31", format.quality));
    const AVCodec* codec = avcodec_find_encoder(jpg ? AV_CODEC_ID_MJPEG : AV_CODEC_ID_PNG);
    if (!codec) throw MediaError(fmt::format("this libavcodec has no encoder for {}", format.extension));
    encoder.reset(avcodec_alloc_context3(codec));
    if (!encoder) throw std::bad_alloc();
    encoder->width = width;
    encoder->height = height;
    encoder->time_base = {1, 25};
    encoder->thread_count = 1;  // the same bytes on every machine
    encoder->flags |= AV_CODEC_FLAG_BITEXACT;
    encoder->pix_fmt = jpg ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_RGB24;
    if (jpg) {
      encoder->color_range = AVCOL_RANGE_JPEG;
      encoder->flags |= AV_CODEC_FLAG_QSCALE;
      encoder->qmin = 1;
      encoder->global_quality = FF_QP2LAMBDA * format.quality;
      start_conversion(width, height);
    }
    check(avcodec_open2(encoder.get(), codec, nullptr));
    frame->width = width;
    frame->height = height;
    frame->format = encoder->pix_fmt;
    frame->color_range = encoder->color_range;
    frame->quality = encoder->global_quality;
    check(av_frame_get_buffer(frame.get(), 0));
  }

  void start_conversion(int width, int height) {
    to_yuv.reset(sws_getContext(width, height, AV_PIX_FMT_RGB24, width, height, AV_PIX_FMT_YUVJ420P,
                                SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INP, nullptr,
                                nullptr, nullptr));
    if (!to_yuv) throw MediaError(fmt::format("a {} cannot be converted for encoding", what));
    const int* matrix = sws_getCoefficients(SWS_CS_ITU601);  // as jpeg means it
    sws_setColorspaceDetails(to_yuv.get(), matrix, 1, matrix, 1, 0, 1 << 16, 1 << 16);
  }

  void check(int result) const {
    if (result < 0) throw MediaError(fmt::format("a {} cannot be encoded: {}", what, reason(result)));
  }

  std::string_view encode(const std::uint8_t* rgb) {
    check(av_frame_make_writable(frame.get()));
    const int row = frame->width * 3;
    if (to_yuv) {
      const std::uint8_t* const planes[4] = {rgb};
      const int strides[4] = {row};
      check(sws_scale(to_yuv.get(), planes, strides, 0, frame->height, frame->data, frame->linesize));
    } else {
      av_image_copy_plane(frame->data[0], frame->linesize[0], rgb, row, row, frame->height);
    }
    ++frame->pts;
    av_packet_unref(packet.get());
    check(avcodec_send_frame(encoder.get(), frame.get()));
    check(avcodec_receive_packet(encoder.get(), packet.get()));
    return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
  }
};

PictureWriter::PictureWriter(const PictureFormat& format, int width, int height)
    : impl_(std::make_unique<Impl>(format, width, height)) {
  impl_->frame->pts = 0;
}
PictureWriter::~PictureWriter() = default;
PictureWriter::PictureWriter(PictureWriter&&) noexcept = default;
std::string_view PictureWriter::encode(const std::uint8_t* rgb24) { return impl_->encode(rgb24); }

}  // namespace marey::media
