// Messages about parameters that have one entry for each stage.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace marey {

template <class T>
std::string wrong_length(const char* name, const std::vector<T>& list, std::size_t stages,
                         bool may_be_empty = false) {
  if (list.size() == stages || (may_be_empty && list.empty())) return {};
  return fmt::format("`{}` needs one entry for each of the {} stages; got {}", name, stages, list.size());
}

inline std::string not_odd(const char* name, std::int64_t kernel) {
  return kernel % 2 == 1
             ? std::string()
             : fmt::format("`{}` must be odd, so that frames keep their place; got {}", name, kernel);
}

inline std::string unknown_depth(int depth) {
  return fmt::format(
      "depth is 18, 34, 50, 101 or 152; got {}. For another network give `blocks`, the number of blocks of "
      "each stage",
      depth);
}

inline std::string first_of(const std::vector<std::string>& problems) {
  for (const auto& problem : problems)
    if (!problem.empty()) return problem;
  return {};
}

}  // namespace marey
