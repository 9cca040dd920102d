// One opened file and the packets of its video stream.
#pragma once
#include "media/libav.hpp"
#include "media/watch.hpp"

#include <marey/media/video_reader.hpp>

#include <filesystem>

namespace marey::media {

class Input {
 public:
  // `watch` must outlive the input. Throws MediaError when there is no video to read.
  Input(std::filesystem::path, const ReaderOptions&, Watch& watch);

  const std::filesystem::path& path() const { return path_; }
  const AVStream& stream() const { return *stream_; }
  const AVCodec& codec() const { return *codec_; }
  const char* container() const { return format_->iformat->name; }

  // The next packet of the video stream that holds bytes; false at the end of what can be read.
  bool read(AVPacket&);
  int streams() const { return static_cast<int>(format_->nb_streams); }
  int video_streams() const;
  std::int64_t empty_packets() const { return empty_packets_; }  // of the video stream, read and left out
  int end_reason() const { return end_reason_; }                 // AVERROR_EOF, or why reading stopped early
  bool seek(std::int64_t timestamp);  // to a key frame at or before it; false when the format cannot
  void rewind();                      // to the first packet, by opening the file again

 private:
  void enter(const FilePart&);
  void open();

  std::string url_;
  std::filesystem::path path_;  // for messages
  int max_streams_;
  std::int64_t max_pixels_;
  Watch& watch_;
  FormatHandle format_;
  AVStream* stream_ = nullptr;
  const AVCodec* codec_ = nullptr;
  std::int64_t empty_packets_ = 0;
  int end_reason_ = AVERROR_EOF;
};

}  // namespace marey::media
