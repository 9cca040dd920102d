#include "media/frame_index.hpp"

#include <algorithm>

namespace marey::media {
namespace {

constexpr std::int64_t none = AV_NOPTS_VALUE;

// VP8 keeps hidden reference frames in packets of their own; a bit of the first byte says so.
bool is_hidden(AVCodecID codec, const AVPacket& packet) {
  return codec == AV_CODEC_ID_VP8 && (packet.data[0] & 0x10) == 0;
}

// Packets that may hold no frame of their own or two: "not coded" pictures of MPEG-4, damaged ones, single
// fields.
bool is_doubtful(const AVCodecParameters& codec, const AVPacket& packet) {
  constexpr int not_coded_bytes = 20;
  if (packet.flags & AV_PKT_FLAG_CORRUPT) return true;
  if (codec.codec_id == AV_CODEC_ID_MPEG4 || codec.codec_id == AV_CODEC_ID_H263)
    return packet.size <= not_coded_bytes;
  return false;
}

bool may_hold_fields(const AVCodecParameters& codec) {
  return (codec.codec_id == AV_CODEC_ID_H264 || codec.codec_id == AV_CODEC_ID_HEVC) &&
         codec.field_order != AV_FIELD_PROGRESSIVE && codec.field_order != AV_FIELD_UNKNOWN;
}

}  // namespace

FrameIndex::FrameIndex(Input& input, Decoder& decoder, Watch& watch) {
  scan(input);
  if (packets_.empty()) {
    const int why = input.end_reason();
    if (why != AVERROR_EOF) fail(input.path(), "no packet of the video can be read", why);
    fail(input.path(), "the video stream holds no packets");
  }
  if (!order_by_pts(input)) order_by_decoding(input, decoder, watch);
  if (order_.empty()) fail(input.path(), "no frame of the video can be decoded");
  place_.assign(packets_.size(), -1);
  for (std::size_t i = 0; i < order_.size(); ++i)
    place_[static_cast<std::size_t>(order_[i])] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < packets_.size(); ++i)
    if (packets_[i].key || i == 0) keys_.push_back(static_cast<std::int64_t>(i));
  measure_time(input.stream());
}

void FrameIndex::scan(Input& input) {
  const AVCodecParameters& codec = *input.stream().codecpar;
  doubtful_ = may_hold_fields(codec);
  const auto packet = new_packet();
  while (input.read(*packet)) {
    const bool shown = !(packet->flags & AV_PKT_FLAG_DISCARD) && !is_hidden(codec.codec_id, *packet);
    doubtful_ = doubtful_ || is_doubtful(codec, *packet);
    packets_.push_back(
        {packet->pts, packet->dts, packet->pos, packet->size, (packet->flags & AV_PKT_FLAG_KEY) != 0, shown});
    last_duration_ = packet->duration;
    av_packet_unref(packet.get());
  }
}

// False when the packets alone do not tell the order.
bool FrameIndex::order_by_pts(const Input&) {
  if (doubtful_ || !packets_.front().key) return false;
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    const Packet& p = packets_[i];
    if (!p.shown) continue;
    // Pictures shown before the first key frame refer to what the file does not hold; the decoder decides
    // about them.
    if (p.pts == none || p.pts < packets_.front().pts) return false;
    order_.push_back(static_cast<std::int64_t>(i));
  }
  const auto pts = [this](std::int64_t i) { return packets_[static_cast<std::size_t>(i)].pts; };
  std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return pts(a) < pts(b); });
  const bool repeated = std::adjacent_find(order_.begin(), order_.end(),
                                           [&](auto a, auto b) { return pts(a) == pts(b); }) != order_.end();
  if (repeated) order_.clear();
  return !repeated;
}

void FrameIndex::order_by_decoding(Input& input, Decoder& decoder, Watch& watch) {
  order_.clear();
  input.rewind();
  const auto packet = new_packet();
  const auto frame = new_frame();
  std::vector<bool> seen(packets_.size(), false);
  const auto take_all = [&] {
    watch.check(input.path(), "scanning");
    while (decoder.receive(*frame)) {
      const auto tag = Decoder::tag(*frame);
      if (tag >= 0 && tag < packets() && !seen[static_cast<std::size_t>(tag)]) {
        seen[static_cast<std::size_t>(tag)] = true;
        order_.push_back(tag);
      }
      av_frame_unref(frame.get());
    }
  };
  for (std::int64_t ordinal = 0; ordinal < packets() && input.read(*packet); ++ordinal) {
    decoder.send(*packet, ordinal, true);
    av_packet_unref(packet.get());
    take_all();
  }
  decoder.send_end();
  take_all();
  decoder.flush();
}

void FrameIndex::measure_time(const AVStream& stream) {
  const auto all_have = [&](auto member) {
    return std::all_of(order_.begin(), order_.end(),
                       [&](auto i) { return packets_[static_cast<std::size_t>(i)].*member != none; });
  };
  const double nominal_fps = stream.avg_frame_rate.num > 0 ? av_q2d(stream.avg_frame_rate) : 0;
  const double unit = av_q2d(stream.time_base);
  std::vector<std::int64_t> times;
  if (all_have(&Packet::pts)) {
    for (auto i : order_) times.push_back(packets_[static_cast<std::size_t>(i)].pts);
  } else if (all_have(&Packet::dts)) {
    // Decoding times only have the right spacing. With B-frames packed two to a packet (DivX), frames also
    // come from other packets than those whose time is theirs: then simply the first times of all.
    if (stream.codecpar->video_delay > 0) {
      for (const auto& p : packets_)
        if (p.dts != none && times.size() < order_.size()) times.push_back(p.dts);
    } else {
      for (auto i : order_) times.push_back(packets_[static_cast<std::size_t>(i)].dts);
    }
    std::sort(times.begin(), times.end());
  }
  if (!times.empty()) {
    for (auto t : times) seconds_.push_back(static_cast<double>(t - times.front()) * unit);
  } else {
    for (std::size_t i = 0; i < order_.size(); ++i)
      seconds_.push_back(nominal_fps > 0 ? static_cast<double>(i) / nominal_fps : 0.0);
  }
  const double span = seconds_.back();
  fps_ = span > 0 ? static_cast<double>(frames() - 1) / span : nominal_fps;
  const double last = last_duration_ > 0 ? static_cast<double>(last_duration_) * unit
                      : fps_ > 0         ? 1 / fps_
                                         : 0;
  duration_seconds_ = span + last;
}

std::int64_t FrameIndex::key_packets() const {
  return std::ranges::count_if(packets_, [](const Packet& p) { return p.key; });
}

std::int64_t FrameIndex::frame_of(std::int64_t ordinal) const {
  return ordinal >= 0 && ordinal < packets() ? place_[static_cast<std::size_t>(ordinal)] : -1;
}

std::int64_t FrameIndex::start_of(std::int64_t index) const {
  const std::int64_t ordinal = packet_of(index);
  const Packet& wanted = packets_[static_cast<std::size_t>(ordinal)];
  // Not from a key frame that is shown later: then this is one of its leading pictures, which refer to
  // earlier ones.
  for (auto key = std::upper_bound(keys_.begin(), keys_.end(), ordinal); key != keys_.begin();) {
    --key;
    const Packet& start = packets_[static_cast<std::size_t>(*key)];
    const std::int64_t place = place_[static_cast<std::size_t>(*key)];
    if (place >= 0 ? place <= index : start.pts != none && wanted.pts != none && start.pts <= wanted.pts)
      return *key;
  }
  return 0;
}

std::int64_t FrameIndex::seek_pts(std::int64_t ordinal) const {
  const Packet& p = packets_[static_cast<std::size_t>(ordinal)];
  return p.pts != none ? p.pts : p.dts;
}

std::int64_t FrameIndex::seek_dts(std::int64_t ordinal) const {
  const Packet& p = packets_[static_cast<std::size_t>(ordinal)];
  return p.dts != none ? p.dts : p.pts;
}

std::int64_t FrameIndex::identify(const AVPacket& packet) const {
  const auto fits = [&](const Packet& p) {
    if (p.size != packet.size || (p.pts != none && packet.pts != none && p.pts != packet.pts)) return false;
    return p.pos >= 0 && packet.pos >= 0 ? p.pos == packet.pos : p.pts != none && p.pts == packet.pts;
  };
  std::int64_t found = -1;
  for (std::int64_t i = 0; i < packets(); ++i) {
    if (!fits(packets_[static_cast<std::size_t>(i)])) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

}  // namespace marey::media
