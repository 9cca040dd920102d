// One row of an annotation list. See annotation_list.hpp for the rules.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace marey::data {

struct ListRow {
  std::string_view path;              // in the row's own memory; empty: an empty row
  std::optional<std::int64_t> label;  // none: unlabelled
  std::string error;                  // what is wrong; empty: nothing
};

// Splits a row without its newline. A quoted path is unquoted in place.
ListRow split_list_row(std::span<char> row, std::string_view delimiter);

}  // namespace marey::data
