// Composition of resizes, crops and flips before any pixel exists. A FrameGeometry describes the picture that
// the steps so far would give: out_width x out_height pixels, each of which stands for a place of the source.
// So:
//
//   resize  changes the output size and nothing else
//   crop    is given in pixels of the present picture; the source crop shrinks in proportion, in doubles
//   flip    mirrors the present picture; later crops count from its new left edge
//
// Resize to a short side of 256, then a centre crop of 224, becomes one source crop of 224/256 of the short
// side scaled to 224. Each output pixel has the same centre in the source as with the steps done one after
// the other.
#pragma once
#include <marey/media/frame_source.hpp>

namespace marey::data {

media::FrameGeometry whole_frame(const media::VideoInfo&);
media::FrameGeometry resized(media::FrameGeometry, int width, int height);
media::FrameGeometry cropped(media::FrameGeometry, const media::Rect&);  // within the present picture
media::FrameGeometry flipped(media::FrameGeometry);

}  // namespace marey::data
