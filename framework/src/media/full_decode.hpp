// Decodes a file once from beginning to end, with the timestamps that the file has.
#pragma once
#include "media/input.hpp"
#include "media/libav.hpp"

#include <marey/media/probe.hpp>

#include <cstdint>
#include <functional>

namespace marey::media {

bool is_key(const AVFrame&);

struct FullDecode {
  std::int64_t packets = 0, frames = 0, key_frames = 0;
  Damage damage;
};

// Of a freshly opened input. `sink` gets every frame that is shown, in order. Throws MediaError only when the
// decoder cannot be opened, or time is up.
FullDecode decode_all(Input&, const ReaderOptions&, Watch&,
                      const std::function<void(std::int64_t index, const AVFrame&)>& sink);

}  // namespace marey::media
