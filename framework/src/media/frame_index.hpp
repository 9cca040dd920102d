// Which packet holds which frame. Packets are numbered in file order (their ordinal), frames in the order in
// which they are shown (their index).
#pragma once
#include "media/decoder.hpp"
#include "media/input.hpp"

#include <cstdint>
#include <vector>

namespace marey::media {

class FrameIndex {
 public:
  // Reads all packets of a freshly opened input. Where timestamps or flags cannot tell which packets are
  // shown and in what order, everything is decoded once. Leaves the input at its end.
  FrameIndex(Input&, Decoder&, Watch&);

  std::int64_t frames() const { return static_cast<std::int64_t>(order_.size()); }
  std::int64_t packets() const { return static_cast<std::int64_t>(packets_.size()); }
  std::int64_t key_packets() const;
  std::int64_t packet_of(std::int64_t index) const { return order_[static_cast<std::size_t>(index)]; }
  // -1: the packet's frame is not shown.
  std::int64_t frame_of(std::int64_t ordinal) const;
  // The last packet from which decoding gives this frame.
  std::int64_t start_of(std::int64_t index) const;
  // What to ask a seek for, to arrive at this packet.
  std::int64_t seek_pts(std::int64_t ordinal) const;
  std::int64_t seek_dts(std::int64_t ordinal) const;
  // Which packet this is, after a seek. -1: unknown or ambiguous.
  std::int64_t identify(const AVPacket&) const;

  double seconds(std::int64_t index) const {
    return seconds_[static_cast<std::size_t>(index)];
  }  // from frame 0
  double fps() const { return fps_; }
  double duration_seconds() const { return duration_seconds_; }

 private:
  struct Packet {
    std::int64_t pts, dts, pos;
    int size;
    bool key, shown;
  };
  void scan(Input&);
  bool order_by_pts(const Input&);
  void order_by_decoding(Input&, Decoder&, Watch&);
  void measure_time(const AVStream&);

  std::vector<Packet> packets_;
  std::vector<std::int64_t> order_;  // index -> ordinal
  std::vector<std::int64_t> place_;  // ordinal -> index or -1
  std::vector<std::int64_t> keys_;   // ordinals of key packets
  std::vector<double> seconds_;
  bool doubtful_ = false;
  std::int64_t last_duration_ = 0;
  double fps_ = 0, duration_seconds_ = 0;
};

}  // namespace marey::media
