// A list is input from elsewhere: its rows may only name what lies under the data root, unless the recipe
// allows more. The rule is about the names; links inside the root may lead anywhere, as people do when a disk
// is full.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace marey::data {

// True for a relative name that does not climb above the root, and for an absolute one that begins with it.
bool lies_under(const std::filesystem::path& root, std::string_view name);

struct ListedNames {
  std::string list;  // its name, for the message
  std::size_t count = 0;
  std::function<std::string_view(std::size_t)> name;
  std::function<std::int64_t(std::size_t)> line;  // 1-based
};

// Throws DataError with the first rows that leave the root, and their count.
void refuse_outside(const ListedNames&, const std::filesystem::path& root);

}  // namespace marey::data
