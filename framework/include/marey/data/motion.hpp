// A data set of synthetic motion: a textured disc moves over a slowly panning background, and only the motion
// tells the class. It exercises the whole path from files to accuracy in minutes; it is no benchmark of
// action recognition.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace marey::data {

inline constexpr std::array<std::string_view, 8> motion_classes = {
    "left", "right", "up", "down", "rotate_cw", "rotate_ccw", "grow", "shrink"};

struct MotionOptions {
  std::filesystem::path out;                    // the folder to write
  std::optional<std::filesystem::path> photos;  // pictures to take textures from; else they are computed
  int train_per_class = 60, val_per_class = 20;
  std::uint64_t seed = 7;
  int threads = 0;  // 0: one for each processor, at most 8
};

// Called after each clip; may throw to end the work.
using MotionProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// Writes OUT/{train,val}/*.{mp4,avi}, train.csv, val.csv (`path label`), classes.txt, README.txt and, last,
// motion.json; all appear together. The same options give the same bytes. Returns false, and leaves all as it
// is, when OUT already holds a complete data set of these options; throws DataError when it holds anything
// else.
bool write_motion_dataset(const MotionOptions&, const MotionProgress& = {});

}  // namespace marey::data
