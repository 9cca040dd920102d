#include <marey/data/missing_files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace marey::data {
namespace fs = std::filesystem;

MissingFiles find_missing_files(std::size_t count, const std::function<fs::path(std::size_t)>& path) {
  std::unordered_map<std::string, std::vector<std::size_t>> folders;
  for (std::size_t i = 0; i < count; ++i) folders[path(i).parent_path().string()].push_back(i);

  MissingFiles out;
  for (const auto& [folder, indices] : folders) {
    std::unordered_multimap<std::string, std::size_t> wanted;
    for (const std::size_t i : indices) wanted.emplace(path(i).filename().string(), i);
    std::error_code problem;
    fs::directory_iterator entry(folder.empty() ? "." : folder, problem);
    for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
      const auto name = entry->path().filename().string();
      if (!wanted.contains(name)) continue;
      std::error_code ignored;
      if (!entry->is_directory(ignored) && (!entry->is_symlink(ignored) || entry->exists(ignored)))
        wanted.erase(name);
    }
    if (problem) out.folder_problems.push_back(fmt::format("{}: {}", folder, problem.message()));
    for (const auto& [name, i] : wanted) out.indices.push_back(i);
  }
  std::ranges::sort(out.indices);
  std::ranges::sort(out.folder_problems);
  return out;
}

}  // namespace marey::data
