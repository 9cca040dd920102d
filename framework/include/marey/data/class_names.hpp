// The names of the classes: one a line, the first is class 0.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace marey::data {

std::vector<std::string> read_class_names(
    const std::filesystem::path&);  // DataError: unreadable, empty, a name twice

}  // namespace marey::data
