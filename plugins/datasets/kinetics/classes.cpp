#include "classes.hpp"

#include <marey/core/error.hpp>
#include <marey/data/class_names.hpp>

#include <fmt/format.h>

namespace marey::datasets {

std::vector<std::string> names_of(const FilePath& class_names, std::optional<std::int64_t> num_classes) {
  if (class_names.empty()) return {};
  auto names = data::read_class_names(class_names.path);
  if (num_classes && *num_classes != static_cast<std::int64_t>(names.size()))
    throw UsageError(
        fmt::format("num_classes is {}, but {} names {} classes; leave num_classes out or make them agree",
                    *num_classes, class_names.path, names.size()));
  return names;
}

std::optional<std::int64_t> known_classes(const std::vector<std::string>& names,
                                          std::optional<std::int64_t> num_classes) {
  if (!names.empty()) return static_cast<std::int64_t>(names.size());
  return num_classes;
}

}  // namespace marey::datasets
