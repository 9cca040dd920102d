// Frames by index from anything that holds them. Geometry comes before pixels: a request says which frames,
// which part of them, and how large, and only that is decoded, converted and scaled.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace marey::media {

struct VideoInfo {
  std::int64_t frames = 0;    // true count of displayable frames
  int width = 0, height = 0;  // as shown: after rotation metadata
  double fps = 0;             // mean: (frames-1) / (last pts - first pts); 0 when unknown
  double duration_seconds = 0;
  std::int64_t key_frames = 0;  // packets marked so; 0: not known
  std::string codec, container;
};

struct Rect {  // in pixels of the shown frame
  double x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

// How colours and sizes are converted. All but fast give the same bytes on every processor.
//
//   precise  swscale from the decoder's planes, rounded accurately; bicubic colour at full resolution, or
//            anti-aliased bilinear where the size changes
//   fast     swscale as quick as it goes: what PyAV, decord and torchcodec deliver; a value may be off by a
//   few
//
// The others make precise RGB of full resolution and scale it to the numbers of another library:
// torch.nn.functional.interpolate(bilinear, align_corners=False), cv2.resize(INTER_LINEAR),
// PIL.Image.resize(BILINEAR).
enum class Scaling { precise, fast, torch, cv2, pillow };
constexpr bool is_exact(Scaling s) { return s != Scaling::precise && s != Scaling::fast; }

// A crop of the source scaled to out_width x out_height, then mirrored left-right when `flip`.
struct FrameGeometry {
  Rect crop;
  int out_width = 0, out_height = 0;
  bool flip = false;
  Scaling scaling = Scaling::precise;
  // For exact scaling: the part of the source that was scaled before it was cropped; pixels of it beside the
  // crop take part. Empty: the crop itself.
  Rect bounds = {};
  friend bool operator==(const FrameGeometry&, const FrameGeometry&) = default;
};

// One output: frame `index` through `geometry`, RGB24, written to `pixels` as rows of out_width*3 bytes
// without padding.
struct FrameRequest {
  std::int64_t index = 0;
  FrameGeometry geometry;
  std::uint8_t* pixels = nullptr;  // owned by the caller
};

struct ReadStats {  // counters since the source was opened; tests assert costs with them
  std::int64_t seeks = 0, packets = 0, decoded = 0, converted = 0, discarded = 0;
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual const VideoInfo& info() const = 0;
  // Serves the requests in any order; one index may be asked for several times (views) and is decoded once.
  // Throws MediaError when a frame cannot be had.
  virtual void read(std::span<const FrameRequest>) = 0;
  virtual const ReadStats& stats() const = 0;
};

}  // namespace marey::media
