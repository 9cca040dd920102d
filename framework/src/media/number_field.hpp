// Fields of a row that tabs divide; the last one is what remains.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace marey::media {

inline std::string_view take_field(std::string_view& row) {
  const auto end = std::min(row.find('\t'), row.size());
  const auto field = row.substr(0, end);
  row.remove_prefix(std::min(end + 1, row.size()));
  return field;
}

inline std::optional<std::int64_t> take_number(std::string_view& row) {
  const auto field = take_field(row);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || problem != std::errc{} || end != field.data() + field.size() || value < 0) return {};
  return value;
}

}  // namespace marey::media
