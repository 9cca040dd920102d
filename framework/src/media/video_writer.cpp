#include "media/libav.hpp"

#include <marey/media/image.hpp>
#include <marey/media/video_reader.hpp>

#include <fmt/format.h>

#include <new>
#include <system_error>

namespace marey::media {
namespace {

struct CloseOutput {
  void operator()(AVFormatContext* p) const {
    if (p->pb) avio_closep(&p->pb);
    avformat_free_context(p);
  }
};

}  // namespace

struct VideoWriter::Impl {
  Impl(std::filesystem::path file, const WriterOptions& options) : path(std::move(file)) {
    silence_libav();
    const AVCodec* codec = avcodec_find_encoder_by_name(options.codec.c_str());
    if (!codec || codec->type != AVMEDIA_TYPE_VIDEO)
      fail(path, fmt::format("this libavcodec has no video encoder called {}", options.codec));
    if (options.width < 1 || options.height < 1 || options.fps < 1)
      fail(path, fmt::format("a video of {}x{} at {} fps cannot be written", options.width, options.height,
                             options.fps));
    open_encoder(*codec, options);
    try {
      open_file();
    } catch (...) {
      remove();
      throw;
    }
  }

  void open_encoder(const AVCodec& codec, const WriterOptions& options) {
    AVFormatContext* raw = nullptr;
    const int allocated = avformat_alloc_output_context2(&raw, nullptr, nullptr, path.c_str());
    if (allocated < 0) fail(path, "no container is known for this extension", allocated);
    output.reset(raw);
    encoder.reset(avcodec_alloc_context3(&codec));
    if (!encoder) throw std::bad_alloc();
    const bool odd = options.width % 2 != 0 || options.height % 2 != 0;
    encoder->width = options.width;
    encoder->height = options.height;
    // H.264 stores halved chroma of even sizes only.
    encoder->pix_fmt = odd && codec.id == AV_CODEC_ID_H264 ? AV_PIX_FMT_YUV444P : AV_PIX_FMT_YUV420P;
    encoder->time_base = {1, options.fps};
    encoder->framerate = {options.fps, 1};
    encoder->thread_count = 1;  // the same bytes on every machine
    encoder->flags |= AV_CODEC_FLAG_BITEXACT;
    if (options.b_frames >= 0) encoder->max_b_frames = options.b_frames;
    if (options.gop >= 0) encoder->gop_size = options.gop;
    if (output->oformat->flags & AVFMT_GLOBALHEADER) encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    AVDictionary* settings = nullptr;
    if (options.codec == "libx264") {
      av_dict_set(&settings, "preset", "veryfast", 0);
      av_dict_set(&settings, "mbtree", "0",
                  0);  // it reads memory that was never written: other bytes each time
      av_dict_set_int(&settings, "crf", options.quality, 0);
    } else {
      encoder->flags |= AV_CODEC_FLAG_QSCALE;
      encoder->global_quality = options.quality * FF_QP2LAMBDA;
    }
    const int opened = avcodec_open2(encoder.get(), &codec, &settings);
    av_dict_free(&settings);
    if (opened < 0) fail(path, fmt::format("the {} encoder cannot be opened", codec.name), opened);

    scaler.reset(sws_getContext(options.width, options.height, AV_PIX_FMT_RGB24, options.width,
                                options.height, encoder->pix_fmt,
                                SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT, nullptr, nullptr, nullptr));
    if (!scaler) throw std::bad_alloc();
    frame = new_frame();
    frame->width = options.width;
    frame->height = options.height;
    frame->format = encoder->pix_fmt;
    if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
    packet = new_packet();
  }

  void open_file() {
    stream = avformat_new_stream(output.get(), nullptr);
    if (!stream) throw std::bad_alloc();
    stream->time_base = encoder->time_base;
    stream->avg_frame_rate = encoder->framerate;
    check(avcodec_parameters_from_context(stream->codecpar, encoder.get()));
    output->flags |= AVFMT_FLAG_BITEXACT;
    const int opened = avio_open(&output->pb, ("file:" + path.string()).c_str(), AVIO_FLAG_WRITE);
    if (opened < 0) fail(path, "cannot be created", opened);
    created = true;
    check(avformat_write_header(output.get(), nullptr));
  }

  void check(int result) const {
    if (result < 0) fail(path, "cannot be written", result);
  }

  void encode(const AVFrame* picture) {
    check(avcodec_send_frame(encoder.get(), picture));
    for (;;) {
      const int got = avcodec_receive_packet(encoder.get(), packet.get());
      if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) return;
      check(got);
      if (packet->duration == 0) packet->duration = 1;
      av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
      packet->stream_index = stream->index;
      check(av_interleaved_write_frame(output.get(), packet.get()));
    }
  }

  void add(const std::uint8_t* rgb24) {
    if (finished) fail(path, "is complete; no frame can be added");
    check(av_frame_make_writable(frame.get()));
    const std::uint8_t* const from[4] = {rgb24};
    const int stride[4] = {encoder->width * 3};
    check(sws_scale(scaler.get(), from, stride, 0, encoder->height, frame->data, frame->linesize));
    frame->pts = count++;
    encode(frame.get());
  }

  void finish() {
    if (finished) return;
    if (count == 0) fail(path, "cannot be written: no frame was added");
    encode(nullptr);
    check(av_write_trailer(output.get()));
    check(avio_closep(&output->pb));  // where a full disk shows
    finished = true;
  }

  void remove() noexcept {
    if (!created || finished) return;
    output.reset();
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  std::filesystem::path path;
  std::unique_ptr<AVFormatContext, CloseOutput> output;
  CodecHandle encoder;
  ScalerHandle scaler;
  FrameHandle frame;
  PacketHandle packet;
  AVStream* stream = nullptr;
  std::int64_t count = 0;
  bool created = false, finished = false;
};

VideoWriter::VideoWriter(const std::filesystem::path& path, const WriterOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {}
VideoWriter::~VideoWriter() { impl_->remove(); }
void VideoWriter::add(const std::uint8_t* rgb24) { impl_->add(rgb24); }
void VideoWriter::finish() { impl_->finish(); }

}  // namespace marey::media
