#include "repeat_frame.hpp"

#include <marey/core/error.hpp>

#include <algorithm>

namespace marey::datasets {

Schema<RepeatFrame::Params> RepeatFrame::schema() {
  return Schema<Params>{}.arg<&Params::frame>(
      {.doc = "which frame of the clip takes the place of all: the middle one, or one drawn for each clip. "
              "For control "
              "experiments: what is still recognised is recognised without motion",
       .one_of = {"middle", "random"}});
}

void RepeatFrame::apply(data::Clip& clip, Random& random) const {
  if (clip.length() == 0) throw UsageError("no frames are chosen yet; put SampleFrames before it");
  for (auto& frames : clip.frames) {
    const auto last = static_cast<std::int64_t>(frames.size()) - 1;
    const auto place =
        p_.frame == "random" ? random.integer(0, last) : static_cast<std::int64_t>(frames.size()) / 2;
    const std::int64_t chosen = frames[static_cast<std::size_t>(place)];
    std::ranges::fill(frames, chosen);
  }
}

}  // namespace marey::datasets
