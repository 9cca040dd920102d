// Videos to folders of numbered pictures, with the options and names of MMAction2's build_rawframes.
#pragma once
#include <marey/media/picture_writer.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace marey::data {

struct RawframesOptions {
  std::filesystem::path source, out;
  int level = 2;      // 1: SOURCE/VIDEO; 2: SOURCE/CLASS/VIDEO
  double fps = 0;     // 0: every frame of the file
  int new_short = 0;  // short side; 0: as the video. Or a width, a height, or both
  int new_width = 0, new_height = 0;
  media::PictureFormat format;
  int jobs = 1;
  bool resume = false;
};

struct RawframesVideo {
  std::string video, folder;  // relative to SOURCE and OUT
  std::int64_t frames = 0;
  bool kept = false;  // was there already
  std::string error;  // empty: its frames are there
};

struct RawframesReport {
  std::vector<RawframesVideo> videos;  // sorted by name
  std::size_t written = 0, kept = 0, failed = 0;
};

// Which frames of the source make up a video of another rate: output k shows the last frame whose time,
// rounded to the nearest step of 1/fps, is at or before k, as ffmpeg's fps filter does. `seconds` ascends.
std::vector<std::int64_t> frames_at_rate(const std::vector<double>& seconds, double duration_seconds,
                                         double fps);

// Writes OUT/[CLASS/]VIDEO/img_00001.jpg …, OUT/rawframes.json (options and report) and, for RawframeDataset,
// OUT/frames.txt (`folder frames label`, label where there are classes) with OUT/classes.txt. A video's
// folder appears when it is complete; whenever the work is killed, `resume` keeps complete folders and does
// the others again. A video that cannot be read is in the report and does not stop the rest. Throws
// UsageError or DataError when nothing can be done: no videos, two videos for one folder, folders there
// without `resume`, other options than those OUT was begun with.
RawframesReport build_rawframes(
    const RawframesOptions&, const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace marey::data
