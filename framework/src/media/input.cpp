#include "media/input.hpp"

#include <fmt/format.h>

#include <new>

namespace marey::media {
namespace {

// Formats that are one file with its own packets. Play lists and the like (hls, dash, concat, sdp, …) name
// other files and are left out on purpose.
constexpr const char* formats =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,ogg,asf,gif,apng,ivf,h264,hevc,av1,obu,m4v,"
    "mpegvideo,mjpeg,"
    "mjpeg_2000,yuv4mpegpipe,nut,mxf,rm,swf,dv,wtv,vc1,h261,h263,mp3,aac,wav,flac,aiff";

// The stream a player would show; cover art is none.
int choose_stream(AVFormatContext& format) {
  const int best = av_find_best_stream(&format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best >= 0 && !(format.streams[best]->disposition & AV_DISPOSITION_ATTACHED_PIC)) return best;
  int other = -1;
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    const AVStream& s = *format.streams[i];
    if (s.codecpar->codec_type != AVMEDIA_TYPE_VIDEO || (s.disposition & AV_DISPOSITION_ATTACHED_PIC))
      continue;
    if (!avcodec_find_decoder(s.codecpar->codec_id)) continue;
    const auto area = [&](int k) {
      return std::int64_t{format.streams[k]->codecpar->width} * format.streams[k]->codecpar->height;
    };
    if (other < 0 || area(static_cast<int>(i)) > area(other)) other = static_cast<int>(i);
  }
  return other;
}

std::string why_no_stream(const AVFormatContext& format) {
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    const AVStream& s = *format.streams[i];
    if (s.codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
    if (s.disposition & AV_DISPOSITION_ATTACHED_PIC) return "holds no video, only a cover picture";
    return fmt::format("holds video that this libavcodec cannot decode ({})",
                       avcodec_get_name(s.codecpar->codec_id));
  }
  return format.nb_streams == 0 ? "holds no streams" : "holds no video, only other streams";
}

}  // namespace

Input::Input(std::filesystem::path path, const ReaderOptions& options, Watch& watch)
    : url_("file:" +
           path.string()),  // the prefix keeps a name such as "concat:a" or "http://x" a plain file name
      path_(std::move(path)),
      max_streams_(options.max_streams),
      max_pixels_(options.max_pixels),
      watch_(watch) {
  silence_libav();
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (!std::filesystem::exists(status)) fail(path_, "no such file");
  if (std::filesystem::is_directory(status)) fail(path_, "is a folder; a video file is needed");
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path_, error) == 0 && !error)
    fail(path_, "is empty (0 bytes)");
  if (options.part) enter(*options.part);
  open();
}

void Input::enter(const FilePart& part) {
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path_, error));
  if (error || part.offset < 0 || part.bytes < 0 || part.offset > size || part.bytes > size - part.offset)
    fail(path_, fmt::format("does not hold {} where its index says", part.name));
  path_ /= part.name;
  if (part.bytes == 0) fail(path_, "is empty (0 bytes)");
  url_ = fmt::format("subfile,,start,{},end,{},,:{}", part.offset, part.offset + part.bytes, url_);
}

void Input::open() {
  format_.reset();
  empty_packets_ = 0;
  AVFormatContext* raw = avformat_alloc_context();
  if (!raw) throw std::bad_alloc();
  raw->interrupt_callback = {&Watch::interrupt, &watch_};
  raw->max_streams = max_streams_;
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", url_.starts_with("file:") ? "file" : "file,subfile", 0);
  av_dict_set(&options, "format_whitelist", formats, 0);
  const int opened = avformat_open_input(&raw, url_.c_str(), nullptr, &options);
  av_dict_free(&options);
  if (opened < 0) {  // libav has freed the context
    watch_.check(path_, "opening");
    fail(path_, "cannot be opened as a video", opened);
  }
  format_.reset(raw);
  for (unsigned i = 0; i < raw->nb_streams; ++i) {
    const AVCodecParameters& p = *raw->streams[i]->codecpar;
    if (p.codec_type == AVMEDIA_TYPE_VIDEO && std::int64_t{p.width} * p.height > max_pixels_)
      fail(path_,
           fmt::format("frames of {}x{} exceed the limit of {} pixels", p.width, p.height, max_pixels_));
  }
  const int probed = avformat_find_stream_info(raw, nullptr);
  watch_.check(path_, "opening");
  if (probed < 0) fail(path_, "streams cannot be read", probed);
  const int chosen = choose_stream(*raw);
  if (chosen < 0) fail(path_, why_no_stream(*raw));
  stream_ = raw->streams[chosen];
  codec_ = avcodec_find_decoder(stream_->codecpar->codec_id);
  if (!codec_) fail(path_, why_no_stream(*raw));
  for (unsigned i = 0; i < raw->nb_streams; ++i)
    raw->streams[i]->discard = static_cast<int>(i) == chosen ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
}

bool Input::read(AVPacket& packet) {
  for (;;) {
    const int got = av_read_frame(format_.get(), &packet);
    if (got < 0) {
      watch_.check(path_, "reading");
      end_reason_ = got;
      return false;
    }
    // An empty packet would tell the decoder that the stream ends.
    if (packet.stream_index == stream_->index && packet.size > 0) return true;
    empty_packets_ += packet.stream_index == stream_->index;
    av_packet_unref(&packet);
  }
}

int Input::video_streams() const {
  int count = 0;
  for (unsigned i = 0; i < format_->nb_streams; ++i)
    count += format_->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
  return count;
}

bool Input::seek(std::int64_t timestamp) {
  return av_seek_frame(format_.get(), stream_->index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0;
}

void Input::rewind() { open(); }

}  // namespace marey::media
