// Looks for everything that is wrong with the files of one or several lists, by decoding them all.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace marey::data {

struct ListCheckOptions {
  std::vector<std::filesystem::path> lists;  // the splits of one data set, such as train and val
  std::filesystem::path root;                // empty: each list's own folder
  std::string delimiter = " ";
  int jobs = 0;                 // 0: one for each processor
  std::int64_t min_frames = 2;  // fewer are called short
};

enum class Trouble { missing, empty, unreadable, damaged, short_video, duplicate, leak };
std::string_view name_of(Trouble);

struct Finding {
  std::size_t list = 0;  // of the options
  std::int64_t line = 0;
  std::string path;
  Trouble trouble = Trouble::missing;
  std::string what;
};

struct ListCheckReport {
  std::size_t rows = 0, files = 0;  // files: different ones
  std::int64_t frames = 0;          // decoded
  std::vector<Finding> findings;    // by list and line
};

// A duplicate repeats an earlier row of its list, a leak a row of an earlier list: the same path, or the same
// bytes under another name.
ListCheckReport check_lists(const ListCheckOptions&,
                            const std::function<void(std::size_t done, std::size_t total)>& progress = {});

// The text of a list without these lines.
std::string without_lines(std::string_view text, const std::vector<std::int64_t>& lines);

}  // namespace marey::data
