// Gets frames by index with as little decoding as the file allows: forward from where the decoder stands, or
// from the nearest key frame when that saves packets.
#pragma once
#include "media/decoder.hpp"
#include "media/frame_index.hpp"
#include "media/input.hpp"
#include "media/watch.hpp"

#include <marey/media/frame_source.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace marey::media {

class Playback {
 public:
  // After the index has been made: the input stands at its end. All must outlive the playback.
  Playback(Input&, Decoder&, const FrameIndex&, Watch&, ReadStats&);

  using Sink = std::function<void(std::int64_t index, const AVFrame&)>;
  // `wanted` ascends without repeats; each comes once, nearly in order. Throws MediaError when one cannot be
  // had.
  void play(std::span<const std::int64_t> wanted, const Sink&);

 private:
  void play_remaining(const Sink&);
  bool is_wanted(std::int64_t index) const;
  void go_to(std::int64_t ordinal);
  bool seek_to(std::int64_t ordinal);
  bool arrives(std::int64_t ordinal);
  bool step(const Sink&);  // false: nothing more will come
  void take(const Sink&);
  void deliver(std::int64_t index, const AVFrame&, const Sink&);
  bool is_missing(std::int64_t index) const;
  void note_damage(std::int64_t index);

  Input& input_;
  Decoder& decoder_;
  const FrameIndex& index_;
  Watch& watch_;
  ReadStats& stats_;

  PacketHandle packet_;
  FrameHandle frame_, last_;
  std::int64_t last_index_ = -1;  // of the frame delivered last, which is kept
  std::int64_t next_;             // ordinal of the next packet that the decoder gets
  bool holds_packet_ = false;     // packet_ is that packet, read by a seek
  bool must_reopen_ = false;      // an operation was broken off half way
  std::int64_t start_index_ = 0;  // of the frame where decoding began; earlier ones are not complete
  bool careful_ = false;          // the file is damaged or lies: only decoding all from the start is exact
  bool damage_seen_ = false;
  std::vector<std::int64_t> inside_;  // ordinals of packets whose frames will still come out
  std::vector<std::int64_t> remaining_;
};

}  // namespace marey::media
