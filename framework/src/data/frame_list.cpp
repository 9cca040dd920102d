#include <marey/core/error.hpp>
#include <marey/data/frame_list.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <tuple>

namespace marey::data {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";
constexpr std::size_t most_shown = 20;
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

std::string_view trim(std::string_view s) {
  s.remove_prefix(std::min(s.find_first_not_of(blanks), s.size()));
  return s.substr(0, s.find_last_not_of(blanks) + 1);
}

std::optional<std::int64_t> integer(std::string_view s) {
  std::int64_t value;
  const auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (s.empty() || problem != std::errc{} || end != s.data() + s.size()) return {};
  return value;
}

std::string form(const FrameListOptions& o) {
  return fmt::format("`folder{} frames {}`", o.with_offset ? " offset" : "",
                     o.multi_label ? "label …" : "label");
}

struct Fields {
  std::string_view folder;
  std::vector<std::int64_t> numbers;
  std::string error;
};

// Every field after the folder must be a number.
void read_numbers(std::string_view rest, Fields& out) {
  for (rest = trim(rest); !rest.empty(); rest = trim(rest)) {
    const auto end = std::min(rest.find_first_of(blanks), rest.size());
    const auto value = integer(rest.substr(0, end));
    if (!value) {
      out.error = fmt::format("'{}' is no integer", rest.substr(0, end));
      return;
    }
    out.numbers.push_back(*value);
    rest.remove_prefix(end);
  }
}

Fields quoted(std::span<char> s) {
  std::size_t to = 1, end = 0;
  for (std::size_t from = 1; from < s.size() && end == 0; ++from) {
    if (s[from] == '"' && (from + 1 == s.size() || s[from + 1] != '"')) {
      end = from + 1;
      break;
    }
    if (s[from] == '"') ++from;
    s[to++] = s[from];
  }
  if (end == 0) return {.error = "the quote at the start of the folder is not closed on this line"};
  Fields out{.folder = {s.data() + 1, to - 1}};
  const std::string_view rest(s.data() + end, s.size() - end);
  if (!rest.empty() && blanks.find(rest.front()) == std::string_view::npos)
    return {.error = fmt::format("expected a blank after the quoted folder, got '{}'", rest)};
  read_numbers(rest, out);
  return out;
}

// The last `at_most` numbers; what stands before them is the folder.
Fields from_the_right(std::string_view s, std::size_t at_most) {
  Fields out{.folder = s};
  while (out.numbers.size() < at_most) {
    const auto at = out.folder.find_last_of(blanks);
    if (at == std::string_view::npos) break;
    const auto value = integer(out.folder.substr(at + 1));
    if (!value) break;
    out.numbers.insert(out.numbers.begin(), *value);
    out.folder = trim(out.folder.substr(0, at));
  }
  return out;
}

Fields split(std::span<char> line, const FrameListOptions& o) {
  const std::string_view s = trim({line.data(), line.size()});
  if (s.empty()) return {};
  if (s.front() == '"')
    return quoted(line.subspan(static_cast<std::size_t>(s.data() - line.data()), s.size()));
  if (!o.multi_label) return from_the_right(s, o.with_offset ? 3 : 2);
  const auto end = std::min(s.find_first_of(blanks), s.size());
  Fields out{.folder = s.substr(0, end)};
  read_numbers(s.substr(end), out);
  if (!out.error.empty()) out.error += "; quote a folder that holds blanks";
  return out;
}

}  // namespace

// Returns what is wrong.
std::string FrameList::add(std::span<char> line, std::uint32_t number, const FrameListOptions& o) {
  const Fields f = split(line, o);
  if (!f.error.empty()) return f.error;
  if (f.folder.empty() && f.numbers.empty()) return {};
  if (f.folder.empty()) return fmt::format("the folder is missing; expected {}", form(o));
  const std::size_t fixed = o.with_offset ? 2 : 1;
  if (f.numbers.size() < fixed)
    return fmt::format("expected {}, got {} after the folder '{}'", form(o),
                       f.numbers.empty() ? "no number" : "one number", f.folder);
  if (!o.multi_label && f.numbers.size() > fixed + 1)
    return fmt::format("{} labels; expected one a row", f.numbers.size() - fixed);
  const std::int64_t offset = o.with_offset ? f.numbers[0] : 0, frames = f.numbers[fixed - 1];
  if (offset < 0 || offset > most) return fmt::format("the offset {} is out of range", offset);
  if (frames < 1 || frames > most)
    return fmt::format("{} frames; expected at least 1 (the row reads {})", frames, form(o));
  const auto labels = std::span(f.numbers).subspan(fixed);
  for (const std::int64_t label : labels)
    if (label < 0 || label >= std::min(o.num_classes.value_or(most), most))
      return o.num_classes
                 ? fmt::format("label {} is out of range: expected 0 to {} ({} classes; the first is 0)",
                               label, *o.num_classes - 1, *o.num_classes)
                 : fmt::format("label {} is out of range: expected 0 to {}", label, most - 1);
  rows_.push_back({static_cast<std::uint32_t>(f.folder.data() - text_.data()),
                   static_cast<std::uint32_t>(f.folder.size()), number, static_cast<std::int32_t>(offset),
                   static_cast<std::int32_t>(frames), static_cast<std::uint32_t>(labels_.size()),
                   static_cast<std::uint32_t>(labels.size())});
  for (const std::int64_t label : labels) {
    max_label_ = std::max(max_label_, label);
    labels_.push_back(static_cast<std::int32_t>(label));
  }
  return {};
}

FrameList FrameList::parse(std::string text, std::string name, const FrameListOptions& options) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max())
    throw DataError(fmt::format("{}: {} bytes are too many for a list of at most 4 GiB", name, text.size()));
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw DataError(fmt::format("{}: the text is UTF-16; save it as UTF-8", name));
  if (text.find('\0') != std::string::npos)
    throw DataError(
        fmt::format("{}: holds zero bytes and is no text; expected rows {}", name, form(options)));
  FrameList list;
  list.text_ = std::move(text);
  list.name_ = std::move(name);
  std::string errors;
  std::size_t wrong = 0;
  const auto note = [&](std::uint32_t line, const std::string& what) {
    if (++wrong <= most_shown) errors += fmt::format("\n  {}:{}: {}", list.name_, line, what);
  };
  std::string& all = list.text_;
  std::size_t at = all.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (std::uint32_t line = 1; at < all.size(); ++line) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    if (const auto problem = list.add(std::span(all).subspan(at, end - at), line, options); !problem.empty())
      note(line, problem);
    at = end + 1;
  }
  const auto labelled = [](const Row& r) { return r.labels > 0; };
  const auto first = std::ranges::find_if(list.rows_, labelled);
  const auto bare = std::ranges::find_if_not(list.rows_, labelled);
  // A multi-label row without labels shows none of the classes.
  if (!options.multi_label && first != list.rows_.end() && bare != list.rows_.end())
    note(bare->line, fmt::format("no label, while line {} has one; label all rows or none", first->line));
  if (wrong > 0)
    throw DataError(
        fmt::format("{}: {} {} wrong{}{}", list.name_, wrong, wrong == 1 ? "row is" : "rows are", errors,
                    wrong > most_shown ? fmt::format("\n  … and {} more", wrong - most_shown) : ""));
  if (list.rows_.empty())
    throw DataError(fmt::format("{}: the list is empty; expected rows {}", list.name_, form(options)));
  return list;
}

std::vector<std::string> FrameList::warnings() const {
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [this](std::uint32_t i) {
    return std::tuple(folder(i), rows_[i].offset, rows_[i].frames);
  };
  std::ranges::sort(order, [&](auto a, auto b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // later row, first row
  for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
    if (key(order[i]) != key(order[first])) first = i;
    if (i != first && !std::ranges::equal(labels(order[i]), labels(order[first])))
      found.emplace_back(order[i], order[first]);
  }
  std::ranges::sort(found);
  std::vector<std::string> out;
  for (const auto& [row, first] : std::span(found).first(std::min(found.size(), most_shown)))
    out.push_back(fmt::format("{}:{}: '{}' has other labels here than on line {}", name_, rows_[row].line,
                              folder(row), rows_[first].line));
  if (found.size() > most_shown)
    out.push_back(fmt::format("{}: … and {} more folders with two labels", name_, found.size() - most_shown));
  return out;
}

}  // namespace marey::data
