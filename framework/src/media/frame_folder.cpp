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
        frames_(options.frames > 0 ? options.frames
                                   : FrameNumbers(folder_, options.name_template).run_from(first_)) {
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

FrameNumbers::FrameNumbers(const fs::path& folder, const std::string& name_template) {
  const FrameNames names(name_template);
  const std::string own = own_name(folder);
  std::error_code problem;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
    if (const auto n = names.number(entry->path().filename().string(), own)) numbers_.push_back(*n);
  if (problem) fail(folder, fmt::format("cannot be listed: {}", problem.message()));
  std::ranges::sort(numbers_);
}

std::int64_t FrameNumbers::run_from(std::int64_t first) const {
  auto at = std::ranges::lower_bound(numbers_, first);
  std::int64_t count = 0;
  for (; at != numbers_.end() && *at == first + count; ++at) ++count;
  return count;
}

std::int64_t FrameNumbers::between(std::int64_t first, std::int64_t end) const {
  return std::ranges::lower_bound(numbers_, end) - std::ranges::lower_bound(numbers_, first);
}

std::unique_ptr<FrameSource> open_frame_folder(const fs::path& folder, const FrameFolderOptions& options) {
  return std::make_unique<PictureSequence>(std::make_unique<FrameFolder>(folder, options), options.pictures);
}

}  // namespace marey::media
