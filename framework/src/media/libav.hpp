// Owning handles of libav's objects, and its error codes in words. The only place that includes libav's
// headers.
#pragma once
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace marey::media {

struct Release {
  void operator()(AVFormatContext* p) const { avformat_close_input(&p); }
  void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(SwsContext* p) const { sws_freeContext(p); }
  void operator()(AVDictionary* p) const { av_dict_free(&p); }
};
using FormatHandle = std::unique_ptr<AVFormatContext, Release>;
using CodecHandle = std::unique_ptr<AVCodecContext, Release>;
using PacketHandle = std::unique_ptr<AVPacket, Release>;
using FrameHandle = std::unique_ptr<AVFrame, Release>;
using ScalerHandle = std::unique_ptr<SwsContext, Release>;

// libav would write to stderr, where it is the program that speaks; our own messages carry what matters.
void silence_libav();

std::string reason(int averror);

PacketHandle new_packet();  // throws std::bad_alloc
FrameHandle new_frame();

// Throws MediaError "PATH: WHAT" or "PATH: WHAT: libav's reason".
[[noreturn]] void fail(const std::filesystem::path&, std::string_view what);
[[noreturn]] void fail(const std::filesystem::path&, std::string_view what, int averror);

}  // namespace marey::media
