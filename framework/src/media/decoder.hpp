// Packets in, frames out. Every packet carries a tag (its place in the file), and so does the frame made from
// it: this identifies frames whatever their timestamps are.
#pragma once
#include "media/libav.hpp"

#include <marey/media/video_reader.hpp>

#include <cstdint>
#include <filesystem>

namespace marey::media {

class Decoder {
 public:
  Decoder(const std::filesystem::path&, const AVCodec&, const AVCodecParameters&, const ReaderOptions&);

  // `wanted` false lets the decoder drop the frame when no other frame refers to it. Returns libav's error or
  // 0.
  int send(AVPacket&, std::int64_t tag, bool wanted);
  void send_end();
  // False when more packets are needed, or at the end.
  bool receive(AVFrame&);
  static std::int64_t tag(const AVFrame& frame) { return frame.pts; }
  bool ended() const { return ended_; }
  void flush();  // before packets from another place

 private:
  CodecHandle context_;
  bool may_skip_ = false, ended_ = false;
};

}  // namespace marey::media
