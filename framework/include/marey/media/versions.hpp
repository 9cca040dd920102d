// Which libav this is, for `marey doctor` and a run's env.json.
#pragma once
#include <string>

namespace marey::media {

std::string library_versions();  // "libavformat 59.27.100, libavcodec 59.37.100, …; h264 encoder: libx264"

}  // namespace marey::media
