#include "data/motion_scene.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/data/motion.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace marey::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* stamp_name = "motion.json";
constexpr const char* unfinished_name = "unfinished";  // marks a folder of ours that may be removed

struct ClipPlan {
  Split split = Split::train;
  int label = 0, index = 0;  // within its class and split
  std::string name() const {
    const auto folder = split == Split::train ? "train" : "val";
    return fmt::format("{}/{}_{:03d}.{}", folder, motion_classes[static_cast<std::size_t>(label)], index,
                       encoding() == 2 ? "avi" : "mp4");
  }
  // Rates and encodings go round with the index, the same in each class.
  int fps() const { return std::array{15, 25, 30}[static_cast<std::size_t>(index % 3)]; }
  int encoding() const { return index / 3 % 3; }
};

std::vector<ClipPlan> plan(const MotionOptions& options) {
  std::vector<ClipPlan> clips;
  for (const auto& [split, count] :
       {std::pair{Split::train, options.train_per_class}, {Split::val, options.val_per_class}})
    for (int index = 0; index < count; ++index)
      for (std::size_t label = 0; label < motion_classes.size(); ++label)
        clips.push_back({split, static_cast<int>(label), index});
  return clips;
}

media::WriterOptions writer_options(const ClipPlan& clip) {
  media::WriterOptions options{.width = motion_side, .height = motion_side, .fps = clip.fps()};
  switch (clip.encoding()) {
    case 0:
      options.b_frames = 3;
      break;
    case 1:
      options.b_frames = 0;
      options.gop = 12;
      break;
    default:
      options.codec = "mpeg4";
      options.quality = 4;
  }
  return options;
}

void write_clip(const fs::path& folder, const ClipPlan& clip, const Textures& pool, std::uint64_t seed) {
  const auto split = static_cast<std::uint64_t>(clip.split == Split::val);
  const auto index = static_cast<std::uint64_t>(clip.index);
  // The length comes from a stream that all classes share, everything else from one of the clip's own.
  constexpr std::uint32_t length_stream = 100, first_scene_stream = 101;
  const auto frames = static_cast<int>(Random(seed, split, index, length_stream).integer(28, 48));
  const MotionScene scene(
      clip.label, clip.split, pool,
      Random(seed, split, index, first_scene_stream + static_cast<std::uint32_t>(clip.label)));
  media::VideoWriter writer(folder / clip.name(), writer_options(clip));
  std::vector<std::uint8_t> pixels(motion_side * motion_side * 3);
  for (int t = 0; t < frames; ++t) {
    scene.render(t, pixels.data());
    writer.add(pixels.data());
  }
  writer.finish();
}

void write_clips(const fs::path& folder, const std::vector<ClipPlan>& clips, const PhotoTextures& photos,
                 const MotionOptions& options, const MotionProgress& progress) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards what follows and the calls of progress
  std::int64_t done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (;;) {
      const std::size_t i = next++;
      if (i >= clips.size()) return;
      try {
        write_clip(folder, clips[i], clips[i].split == Split::train ? photos.train : photos.val,
                   options.seed);
        const std::lock_guard lock(mutex);
        ++done;
        if (progress && !failure) progress(done, static_cast<std::int64_t>(clips.size()));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = clips.size();
      }
    }
  };
  const int threads = options.threads > 0
                          ? options.threads
                          : std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
  {
    std::vector<std::jthread> workers;
    for (int k = 0; k < threads; ++k) workers.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

void write_lists(const fs::path& folder, const std::vector<ClipPlan>& clips) {
  std::string train, val, classes;
  for (const auto& clip : clips)
    (clip.split == Split::train ? train : val) += fmt::format("{} {}\n", clip.name(), clip.label);
  for (const auto name : motion_classes) classes += fmt::format("{}\n", name);
  write_file_atomically(folder / "train.csv", train);
  write_file_atomically(folder / "val.csv", val);
  write_file_atomically(folder / "classes.txt", classes);
}

void write_readme(const fs::path& folder, const PhotoTextures& photos, const MotionOptions& options) {
  const std::string textures =
      photos.names.empty()
          ? "computed patterns: clouds, bands and checks for train; cells, spots and ripples for val"
          : fmt::format("{} photos, of which train and val share none: {}", photos.names.size(),
                        fmt::join(photos.names, ", "));
  write_file_atomically(
      folder / "README.txt",
      fmt::format(
          "Synthetic motion, written by `marey data motion` with seed {}: {} train and {} val clips of each "
          "of {} classes.\n"
          "A textured disc moves over a slowly panning background: left, right, up, down, turning clockwise "
          "or\n"
          "counter-clockwise, growing or shrinking. Place, size and angle are distributed alike in every "
          "class, so no\n"
          "single frame tells the class. {}x{} pixels, 28 to 48 frames, 15, 25 or 30 fps; h264 mp4 with and "
          "without\n"
          "B-frames and mpeg4 avi, alike in every class. train.csv and val.csv hold `path label` lines.\n"
          "Textures: {}.\n"
          "It checks that a network learns motion from video files. It is no benchmark of action "
          "recognition.\n",
          options.seed, options.train_per_class, options.val_per_class, motion_classes.size(), motion_side,
          motion_side, textures));
}

std::string stamp(const MotionOptions& options, const PhotoTextures& photos, std::size_t clips) {
  nlohmann::ordered_json json;
  json["version"] = 1;
  json["seed"] = options.seed;
  json["train_per_class"] = options.train_per_class;
  json["val_per_class"] = options.val_per_class;
  json["photos"] = nlohmann::ordered_json::array();
  for (const auto& name : photos.names)
    json["photos"].push_back({{"name", name}, {"xxh3", xxh3_file(*options.photos / name)}});
  json["clips"] = clips;
  return json.dump(2) + "\n";
}

// True when the folder holds just this data set already.
bool is_there(const fs::path& out, const std::string& wanted, const std::vector<ClipPlan>& clips) {
  if (!fs::exists(out)) return false;
  if (!fs::is_directory(out)) throw DataError(fmt::format("{}: is no folder", out.string()));
  if (fs::is_empty(out)) return false;
  if (!fs::exists(out / stamp_name))
    throw DataError(fmt::format("{}: holds other files; name a new or an empty folder", out.string()));
  if (read_file(out / stamp_name) != wanted)
    throw DataError(fmt::format(
        "{}: holds a motion data set of other options (see {}); name another folder or remove this one",
        out.string(), stamp_name));
  for (const auto& clip : clips)
    if (!fs::exists(out / clip.name()))
      throw DataError(
          fmt::format("{}: the motion data set there lacks {}; remove the folder and write it anew",
                      out.string(), clip.name()));
  return true;
}

}  // namespace

bool write_motion_dataset(const MotionOptions& options, const MotionProgress& progress) {
  if (options.out.empty()) throw UsageError("a folder to write to is needed (--out)");
  if (options.train_per_class < 1 || options.val_per_class < 1)
    throw UsageError(fmt::format("each split needs at least one clip of each class; got {} and {}",
                                 options.train_per_class, options.val_per_class));
  const PhotoTextures photos = options.photos ? load_photos(*options.photos) : PhotoTextures{};
  const auto clips = plan(options);
  const std::string mark = stamp(options, photos, clips.size());
  const fs::path out = fs::absolute(options.out / "").parent_path();
  if (is_there(out, mark, clips)) return false;

  // Written beside, and renamed when complete.
  const fs::path unfinished = out.string() + ".unfinished";
  if (fs::exists(unfinished)) {
    if (!fs::exists(unfinished / unfinished_name))
      throw DataError(fmt::format("{}: is in the way; remove it", unfinished.string()));
    fs::remove_all(unfinished);  // of a run that was killed
  }
  fs::create_directories(unfinished / "train");
  fs::create_directories(unfinished / "val");
  write_file_atomically(unfinished / unfinished_name, "");
  try {
    write_clips(unfinished, clips, photos, options, progress);
    write_lists(unfinished, clips);
    write_readme(unfinished, photos, options);
    write_file_atomically(unfinished / stamp_name, mark);
    if (fs::exists(out)) fs::remove(out);  // empty
    fs::rename(unfinished, out);
    fs::remove(out / unfinished_name);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    throw;
  }
  return true;
}

}  // namespace marey::data
