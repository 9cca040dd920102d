// How many classes a data set has, and what they are called.
#pragma once
#include <marey/core/schema.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace marey::datasets {

// The file's names; none without a file. Throws UsageError when their count is not num_classes.
std::vector<std::string> names_of(const FilePath& class_names, std::optional<std::int64_t> num_classes);

// From the names, else as given; nullopt: only the list can tell.
std::optional<std::int64_t> known_classes(const std::vector<std::string>& names,
                                          std::optional<std::int64_t> num_classes);

}  // namespace marey::datasets
