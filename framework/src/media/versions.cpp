#include <marey/media/versions.hpp>

#include <fmt/format.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

namespace marey::media {

std::string library_versions() {
  const auto text = [](unsigned v) {
    return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(v), AV_VERSION_MINOR(v), AV_VERSION_MICRO(v));
  };
  const AVCodec* h264 = avcodec_find_encoder(AV_CODEC_ID_H264);
  return fmt::format("libavformat {}, libavcodec {}, libswscale {}; h264 encoder: {}",
                     text(avformat_version()), text(avcodec_version()), text(swscale_version()),
                     h264 ? h264->name : "none");
}

}  // namespace marey::media
