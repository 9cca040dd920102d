#include "data/list_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace marey::data {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trim(std::string_view s) {
  s.remove_prefix(std::min(s.find_first_not_of(blanks), s.size()));
  return s.substr(0, s.find_last_not_of(blanks) + 1);
}

bool read_integer(std::string_view s, std::int64_t& out) {
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') s = s.substr(1, s.size() - 2);
  const auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), out);
  return !s.empty() && problem == std::errc{} && end == s.data() + s.size();
}

bool is_integer(std::string_view s) {
  std::int64_t ignored;
  return read_integer(s, ignored);
}

struct Split {
  std::string_view head, tail;
  bool found = false;
};

Split split_last(std::string_view s, std::string_view delimiter) {
  const auto at = delimiter == " " ? s.find_last_of(" \t") : s.rfind(delimiter);
  if (at == std::string_view::npos) return {s, {}, false};
  return {trim(s.substr(0, at)), trim(s.substr(at + delimiter.size())), true};
}

std::string shown(std::string_view delimiter) {
  if (delimiter == " ") return "blank";
  if (delimiter == "\t") return "tab";
  return fmt::format("'{}'", delimiter);
}

bool has_extension(std::string_view path) {
  const auto dot = path.rfind('.');
  if (dot == std::string_view::npos || path.size() - dot < 3 || path.size() - dot > 6) return false;
  const auto letters = path.substr(dot + 1);
  return std::ranges::all_of(letters, [](unsigned char c) { return std::isalnum(c); }) &&
         std::ranges::any_of(letters, [](unsigned char c) { return std::isalpha(c); });
}

// `a.mp4 1 3`: a path that ends in numbers after what looks like a file name.
bool has_more_labels(std::string_view path, std::string_view delimiter) {
  bool numbers = false;
  for (;;) {
    const auto [head, tail, found] = split_last(path, delimiter);
    if (!found || !is_integer(tail)) return numbers && has_extension(path);
    numbers = true;
    path = head;
  }
}

// Moves the closing part of a quoted path over its doubled quotes. Returns the end of the quoted text, or
// npos.
std::size_t unquote(std::span<char> s, std::size_t& length) {
  std::size_t to = 1;
  for (std::size_t from = 1; from < s.size(); ++from) {
    if (s[from] == '"') {
      if (from + 1 == s.size() || s[from + 1] != '"') {
        length = to - 1;
        return from + 1;
      }
      ++from;
    }
    s[to++] = s[from];
  }
  return std::string_view::npos;
}

ListRow quoted_row(std::span<char> s, std::string_view delimiter) {
  std::size_t length = 0;
  const std::size_t end = unquote(s, length);
  if (end == std::string_view::npos)
    return {.error = "the quote at the start of the path is not closed on this line"};
  const std::string_view path(s.data() + 1, length);
  if (path.empty()) return {.error = "the path is empty"};
  std::string_view rest(s.data() + end, s.size() - end);
  const bool blank = !rest.empty() && blanks.find(rest.front()) != std::string_view::npos;
  const std::string_view after = trim(rest);
  if (after.empty()) return {.path = path};
  // After a closed quote nothing is ambiguous: a comma separates as well as the delimiter asked for.
  std::string_view field = after;
  if (after.starts_with(delimiter))
    field = trim(after.substr(delimiter.size()));
  else if (after.front() == ',')
    field = trim(after.substr(1));
  else if (!blank)
    return {.error = fmt::format("expected a {} after the quoted path, got '{}'", shown(delimiter), after)};
  std::int64_t label;
  if (read_integer(field, label)) return {.path = path, .label = label};
  return {.error = fmt::format("expected one label (an integer) after the quoted path, got '{}'", field)};
}

}  // namespace

ListRow split_list_row(std::span<char> row, std::string_view delimiter) {
  const std::string_view s = trim({row.data(), row.size()});
  if (s.empty()) return {};
  if (s.front() == '"')
    return quoted_row(row.subspan(static_cast<std::size_t>(s.data() - row.data()), s.size()), delimiter);

  if (s.find('\r') != std::string_view::npos)
    return {.error = "a carriage return within the row; save the list with line ends \\n or \\r\\n"};
  const auto [path, field, found] = split_last(s, delimiter);
  if (!found) {
    // A list with another delimiter would otherwise pass as unlabelled, every row of it.
    for (const std::string_view other : {",", ";", "\t", " "})
      if (const auto guess = split_last(s, other);
          other != delimiter && guess.found && is_integer(guess.tail))
        return {.error = fmt::format("no {} in '{}'; if a {} stands before the label, set delimiter = \"{}\"",
                                     shown(delimiter), s, shown(other), other == "\t" ? "\\t" : other)};
    return {.path = s};
  }
  std::int64_t label;
  if (!read_integer(field, label))
    return {.error =
                fmt::format("expected a label (an integer) after the last {}, got '{}'; quote the path of an "
                            "unlabelled row when it holds the delimiter",
                            shown(delimiter), field)};
  if (path.empty()) return {.error = "the path is empty"};
  if (has_more_labels(path, delimiter))
    return {.error = fmt::format(
                "several labels; expected one a row (if the file is really called '{}', quote it)", path)};
  return {.path = path, .label = label};
}

}  // namespace marey::data
