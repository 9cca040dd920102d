#include "media/libav.hpp"

#include <marey/core/files.hpp>
#include <marey/media/frame_names.hpp>
#include <marey/media/picture_sequence.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace marey::media {
namespace fs = std::filesystem;
namespace {

// The name that {folder} stands for: of the link itself, not of what it points to.
std::string own_name(const fs::path& folder) {
  const auto plain = folder.lexically_normal();
  return plain.has_filename() ? plain.filename().string() : plain.parent_path().filename().string();
}

class FrameFolder final : public PictureStore {
 public:
  FrameFolder(fs::path folder, const FrameFolderOptions& options)
      : folder_(std::move(folder)),
        own_name_(own_name(folder_)),
        names_(options.name_template),
        first_(options.first),
        frames_(options.frames > 0 ? options.frames : count_frames(folder_, options.name_template, first_)) {
    if (frames_ < 1)
      fail(folder_, fmt::format("holds no frame {}; look at the template and the first number",
                                names_.name(first_, own_name_)));
  }

  std::int64_t frames() const override { return frames_; }
  std::string name(std::int64_t index) const override {
    return (folder_ / names_.name(first_ + index, own_name_)).string();
  }
  void get(std::int64_t index, std::string& bytes) override {
    try {
      bytes = read_file(name(index));
    } catch (const Error& e) {
      throw MediaError(fmt::format("{} (frame {} of {})", e.what(), index, frames_));
    }
  }

 private:
  fs::path folder_;
  std::string own_name_;
  FrameNames names_;
  std::int64_t first_, frames_;
};

}  // namespace

std::int64_t count_frames(const fs::path& folder, const std::string& name_template, std::int64_t first) {
  const FrameNames names(name_template);
  const std::string own = own_name(folder);
  std::vector<std::int64_t> numbers;
  std::error_code problem;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
    if (const auto n = names.number(entry->path().filename().string(), own); n && *n >= first)
      numbers.push_back(*n);
  if (problem) fail(folder, fmt::format("cannot be listed: {}", problem.message()));
  std::ranges::sort(numbers);
  std::int64_t count = 0;
  while (count < static_cast<std::int64_t>(numbers.size()) &&
         numbers[static_cast<std::size_t>(count)] == first + count)
    ++count;
  return count;
}

std::unique_ptr<FrameSource> open_frame_folder(const fs::path& folder, const FrameFolderOptions& options) {
  return std::make_unique<PictureSequence>(std::make_unique<FrameFolder>(folder, options), options.pictures);
}

}  // namespace marey::media
