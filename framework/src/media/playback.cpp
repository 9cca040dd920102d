#include "media/playback.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace marey::media {
namespace {

// No codec holds back a frame for more packets than this (16 frames in field pairs), plus one per decoder
// thread.
constexpr std::int64_t longest_delay = 64;
// Up to so many packets are read and dropped rather than sought over.
constexpr std::int64_t cheap_to_drop = 64;

}  // namespace

Playback::Playback(Input& input, Decoder& decoder, const FrameIndex& index, Watch& watch, ReadStats& stats)
    : input_(input),
      decoder_(decoder),
      index_(index),
      watch_(watch),
      stats_(stats),
      packet_(new_packet()),
      frame_(new_frame()),
      last_(new_frame()),
      next_(index.packets()) {}

bool Playback::is_wanted(std::int64_t index) const {
  return std::binary_search(remaining_.begin(), remaining_.end(), index);
}

void Playback::play(std::span<const std::int64_t> wanted, const Sink& sink) {
  remaining_.assign(wanted.begin(), wanted.end());
  if (last_index_ >= 0 && is_wanted(last_index_)) {
    sink(last_index_, *last_);
    std::erase(remaining_, last_index_);
  }
  try {
    play_remaining(sink);
  } catch (...) {
    must_reopen_ = true;
    next_ = index_.packets();
    inside_.clear();
    throw;
  }
}

void Playback::play_remaining(const Sink& sink) {
  while (!remaining_.empty()) {
    const std::int64_t goal = remaining_.front(), packet = index_.packet_of(goal);
    const std::int64_t start = careful_ ? 0 : index_.start_of(goal);
    const bool comes = packet >= next_ || std::find(inside_.begin(), inside_.end(), packet) != inside_.end();
    if (!comes || (packet >= next_ && start > next_)) go_to(start);
    while (is_wanted(goal) && !is_missing(goal) && (careful_ || !damage_seen_) && step(sink)) {
    }
    if (!is_wanted(goal)) continue;
    if (careful_)
      fail(input_.path(),
           fmt::format("frame {} of {} cannot be decoded; the file is damaged there", goal, index_.frames()));
    careful_ = true;
    go_to(0);
  }
}

// A frame that should have come by now will not come.
bool Playback::is_missing(std::int64_t index) const {
  return next_ > index_.packet_of(index) + longest_delay;
}

void Playback::go_to(std::int64_t ordinal) {
  decoder_.flush();
  inside_.clear();
  const bool ahead = ordinal >= next_ && ordinal - next_ <= cheap_to_drop;
  if (must_reopen_ || (!(ahead && arrives(ordinal)) && !seek_to(ordinal))) {
    input_.rewind();
    must_reopen_ = false;
    holds_packet_ = false;
    next_ = 0;
    ++stats_.seeks;
    if (!arrives(ordinal)) fail(input_.path(), "could be read when it was opened, but not any more");
  }
  start_index_ = ordinal == 0 ? 0 : index_.frame_of(ordinal);
}

// Reads on and drops packets up to this one, whose turn is then next.
bool Playback::arrives(std::int64_t ordinal) {
  if (next_ == ordinal) return true;
  if (holds_packet_) {
    av_packet_unref(packet_.get());
    holds_packet_ = false;
    ++next_;
  }
  while (next_ < ordinal) {
    watch_.check(input_.path(), "seeking");
    if (!input_.read(*packet_)) return false;
    av_packet_unref(packet_.get());
    ++next_;
  }
  return true;
}

bool Playback::seek_to(std::int64_t ordinal) {
  // Formats disagree on whether a seek means decoding or presentation time. Too early is fine, too late is
  // not.
  for (const auto timestamp : {index_.seek_pts(ordinal), index_.seek_dts(ordinal)}) {
    watch_.check(input_.path(), "seeking");
    if (timestamp == AV_NOPTS_VALUE) continue;
    if (holds_packet_) av_packet_unref(packet_.get());
    holds_packet_ = false;
    ++stats_.seeks;
    next_ = index_.packets();
    if (!input_.seek(timestamp) || !input_.read(*packet_)) continue;
    const std::int64_t here = index_.identify(*packet_);
    holds_packet_ = here >= 0;
    if (here < 0) {
      av_packet_unref(packet_.get());
      continue;
    }
    next_ = here;
    if (here <= ordinal && arrives(ordinal)) return true;
  }
  return false;
}

bool Playback::step(const Sink& sink) {
  watch_.check(input_.path(), "decoding");
  if (decoder_.ended()) return false;
  if (!holds_packet_ && (next_ >= index_.packets() || !input_.read(*packet_))) {
    next_ = index_.packets();
    decoder_.send_end();
    take(sink);
    inside_.clear();
    return false;
  }
  holds_packet_ = false;
  const std::int64_t ordinal = next_++;
  const bool wanted = is_wanted(index_.frame_of(ordinal));
  const int sent = decoder_.send(*packet_, ordinal, wanted || careful_);
  if (sent < 0) note_damage(index_.frame_of(ordinal));
  av_packet_unref(packet_.get());
  ++stats_.packets;
  if (wanted && sent >= 0) inside_.push_back(ordinal);
  take(sink);
  return true;
}

void Playback::take(const Sink& sink) {
  while (decoder_.receive(*frame_)) {
    ++stats_.decoded;
    const std::int64_t ordinal = Decoder::tag(*frame_), index = index_.frame_of(ordinal);
    std::erase(inside_, ordinal);
    const bool damaged = (frame_->flags & AV_FRAME_FLAG_CORRUPT) || frame_->decode_error_flags;
    if (damaged) note_damage(index);
    if (is_wanted(index) && (careful_ || !damaged))
      deliver(index, *frame_, sink);
    else
      ++stats_.discarded;
    av_frame_unref(frame_.get());
  }
}

// What a damaged picture looks like depends on all that was decoded before. Frames before the one where
// decoding began are always incomplete, and do not count.
void Playback::note_damage(std::int64_t index) { damage_seen_ = damage_seen_ || index >= start_index_; }

void Playback::deliver(std::int64_t index, const AVFrame& frame, const Sink& sink) {
  sink(index, frame);
  std::erase(remaining_, index);
  av_frame_unref(last_.get());
  last_index_ = av_frame_ref(last_.get(), &frame) >= 0 ? index : -1;
}

}  // namespace marey::media
