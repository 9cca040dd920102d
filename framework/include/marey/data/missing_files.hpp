// Finds the files of a list that are not there, with one directory listing a folder instead of a question a
// file.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace marey::data {

struct MissingFiles {
  std::vector<std::size_t> indices;          // ascending
  std::vector<std::string> folder_problems;  // folders that could not be listed, with the reason
};

MissingFiles find_missing_files(std::size_t count,
                                const std::function<std::filesystem::path(std::size_t)>& path);

}  // namespace marey::data
