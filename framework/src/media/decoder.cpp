#include "media/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace marey::media {

Decoder::Decoder(const std::filesystem::path& path, const AVCodec& codec, const AVCodecParameters& parameters,
                 const ReaderOptions& options)
    : context_(avcodec_alloc_context3(&codec)) {
  silence_libav();
  if (!context_) throw std::bad_alloc();
  int result = avcodec_parameters_to_context(context_.get(), &parameters);
  if (result >= 0) {
    context_->thread_count = std::max(1, options.threads);
    context_->max_pixels = options.max_pixels;
    result = avcodec_open2(context_.get(), &codec, nullptr);
  }
  if (result < 0) fail(path, fmt::format("the {} decoder cannot be opened", codec.name), result);
  // Frame threads take skip_frame with a delay, so that a wanted frame could be lost.
  may_skip_ = context_->thread_count == 1;
}

int Decoder::send(AVPacket& packet, std::int64_t tag, bool wanted) {
  packet.pts = packet.dts = tag;
  context_->skip_frame = wanted || !may_skip_ ? AVDISCARD_DEFAULT : AVDISCARD_NONREF;
  const int result = avcodec_send_packet(context_.get(), &packet);
  return result < 0 ? result : 0;
}

void Decoder::send_end() { avcodec_send_packet(context_.get(), nullptr); }

bool Decoder::receive(AVFrame& frame) {
  for (int errors = 0; errors < 1000; ++errors) {
    const int result = avcodec_receive_frame(context_.get(), &frame);
    if (result >= 0) return true;
    if (result == AVERROR_EOF) ended_ = true;
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return false;
    // A damaged frame: the decoder goes on with the next.
  }
  ended_ = true;
  return false;
}

void Decoder::flush() {
  avcodec_flush_buffers(context_.get());
  ended_ = false;
}

}  // namespace marey::media
