// What is known about the files of a list without opening them: one row a file, in LIST.index.tsv beside the
// list. A row holds as long as the file has the size and time of change that it had.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace marey::data {

struct IndexedVideo {
  std::string path;  // as in the list
  std::int64_t bytes = 0, changed_ns = 0;
  std::int64_t frames = 0, key_frames = 0;
  int width = 0, height = 0;
  double fps = 0, duration_seconds = 0;
  std::string codec;
  std::string error;  // why it cannot be read; empty: it can
};

class VideoIndex {
 public:
  VideoIndex() = default;
  explicit VideoIndex(std::vector<IndexedVideo>);
  static VideoIndex read(const std::filesystem::path&);  // DataError: no index, or damaged
  static VideoIndex parse(std::string_view text, const std::string& name);
  void write(const std::filesystem::path&) const;

  const std::vector<IndexedVideo>& videos() const { return videos_; }
  const IndexedVideo* find(std::string_view path) const;  // null: not in the index

 private:
  std::vector<IndexedVideo> videos_;
  std::unordered_map<std::string_view, std::size_t> rows_;  // keys point into videos_
};

std::filesystem::path index_file_of(const std::filesystem::path& list);
// False: the file has changed since, or is gone.
bool is_current(const IndexedVideo&, const std::filesystem::path& file);

struct IndexOptions {
  std::filesystem::path list, root, out;  // root empty: the list's folder; out empty: index_file_of(list)
  std::string delimiter = " ";
  int jobs = 0;  // 0: one for each processor
};
struct IndexReport {
  std::size_t kept = 0, scanned = 0, unreadable = 0;
  VideoIndex index;
};
// Scans every file that the index does not hold, or not as it is now, and writes the index.
IndexReport build_index(const IndexOptions&,
                        const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace marey::data
