// Packs the files that lists name, so that a data set is a few large files; see marey/media/pack.hpp.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace marey::data {

struct PackOptions {
  std::vector<std::filesystem::path> lists;  // a file that several name is packed once
  std::filesystem::path out;
  std::filesystem::path root;                   // where relative paths start; empty: each list's own folder
  bool frames = false;                          // lists of frame folders, else of videos
  std::string delimiter = " ";                  // of lists of videos
  std::string name_template = "img_{:05}.jpg";  // which files of a frame folder are packed
  std::int64_t shard_bytes = std::int64_t{1} << 30;
};

struct PackReport {
  std::int64_t sources = 0;  // videos or folders
  std::int64_t files = 0, bytes = 0, shards = 0;
};

// Throws DataError, and leaves no pack, when a file is missing or a list is wrong.
PackReport pack_lists(const PackOptions&,
                      const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace marey::data
