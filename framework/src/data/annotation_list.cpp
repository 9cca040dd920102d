#include "data/list_row.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/data/annotation_list.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace marey::data {
namespace {

constexpr std::size_t most_shown = 20;
constexpr std::int64_t most_labels = std::numeric_limits<std::int32_t>::max();

class Errors {
 public:
  explicit Errors(const std::string& name) : name_(name) {}

  void add(std::uint32_t line, const std::string& what) {
    if (++count_ <= most_shown) text_ += fmt::format("\n  {}:{}: {}", name_, line, what);
  }
  void throw_if_any() const {
    if (count_ == 0) return;
    const std::string more = count_ > most_shown ? fmt::format("\n  … and {} more", count_ - most_shown) : "";
    throw DataError(
        fmt::format("{}: {} {} wrong{}{}", name_, count_, count_ == 1 ? "row is" : "rows are", text_, more));
  }

 private:
  const std::string& name_;
  std::size_t count_ = 0;
  std::string text_;
};

std::string range_error(std::int64_t label, std::optional<std::int64_t> num_classes) {
  if (!num_classes) return fmt::format("label {} is out of range: expected 0 to {}", label, most_labels - 1);
  return fmt::format("label {} is out of range: expected 0 to {} ({} classes; the first is 0)", label,
                     *num_classes - 1, *num_classes);
}

}  // namespace

AnnotationList AnnotationList::read(const std::filesystem::path& file, const ListOptions& options) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error& e) {
    throw DataError(fmt::format("annotation list: {}", e.what()));
  }
  return parse(std::move(text), file.string(), options);
}

AnnotationList AnnotationList::parse(std::string text, std::string name, const ListOptions& options) {
  if (options.delimiter.empty() || options.delimiter.find_first_of("\r\n\"") != std::string::npos)
    throw UsageError(fmt::format("{}: the delimiter must not be empty, a quote or a line end", name));
  if (text.size() > std::numeric_limits<std::uint32_t>::max())
    throw DataError(fmt::format("{}: {} bytes are too many for a list of at most 4 GiB", name, text.size()));
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw DataError(fmt::format("{}: the text is UTF-16; save it as UTF-8", name));
  if (text.find('\0') != std::string::npos)
    throw DataError(fmt::format("{}: holds zero bytes and is no text; expected rows `path label`", name));

  AnnotationList list;
  list.name_ = std::move(name);
  list.text_ = std::move(text);
  std::string& all = list.text_;
  Errors errors(list.name_);
  std::uint32_t first_labelled = 0, first_unlabelled = 0;  // line numbers
  std::size_t unlabelled = 0;
  std::size_t at = all.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (std::uint32_t line = 1; at < all.size(); ++line) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const ListRow row = split_list_row(std::span(all).subspan(at, end - at), options.delimiter);
    at = end + 1;
    if (!row.error.empty()) {
      errors.add(line, row.error);
      continue;
    }
    if (row.path.empty()) continue;
    std::int64_t label = -1;
    if (row.label) {
      label = *row.label;
      if (!first_labelled) first_labelled = line;
      if (label < 0 || label >= std::min(options.num_classes.value_or(most_labels), most_labels)) {
        errors.add(line, range_error(label, options.num_classes));
        continue;
      }
    } else {
      if (!first_unlabelled) first_unlabelled = line;
      ++unlabelled;
    }
    list.max_label_ = std::max(list.max_label_, label);
    list.rows_.push_back({static_cast<std::uint32_t>(row.path.data() - all.data()),
                          static_cast<std::uint32_t>(row.path.size()), static_cast<std::int32_t>(label),
                          line});
  }
  if (first_labelled && first_unlabelled)
    errors.add(first_unlabelled,
               fmt::format("no label, while line {} has one ({} such {}); label all rows or none",
                           first_labelled, unlabelled, unlabelled == 1 ? "row" : "rows"));
  errors.throw_if_any();
  if (list.rows_.empty())
    throw DataError(fmt::format("{}: the list is empty; expected rows `path label`", list.name_));
  list.rows_.shrink_to_fit();
  list.find_duplicates();
  return list;
}

void AnnotationList::find_duplicates() {
  struct Key {
    std::size_t hash;
    std::uint32_t row;
  };
  std::vector<Key> keys(rows_.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = {std::hash<std::string_view>{}(path(i)), i};
  std::ranges::sort(
      keys, [](const Key& a, const Key& b) { return a.hash != b.hash ? a.hash < b.hash : a.row < b.row; });

  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      found;  // first row with the path, later row with another label
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i + 1;
    for (; end < keys.size() && keys[end].hash == keys[i].hash; ++end)
      for (std::size_t first = i; first < end; ++first)
        if (path(keys[first].row) == path(keys[end].row)) {
          if (rows_[keys[first].row].label != rows_[keys[end].row].label)
            found.emplace_back(keys[first].row, keys[end].row);
          break;
        }
    i = end;
  }
  std::ranges::sort(found, {}, [](const auto& pair) { return pair.second; });
  for (std::size_t i = 0; i < std::min(found.size(), most_shown); ++i) {
    const auto [a, b] = found[i];
    warnings_.push_back(fmt::format("{}:{}: '{}' has label {} here and label {} on line {}", name_, line(b),
                                    path(b), label(b), label(a), line(a)));
  }
  if (found.size() > most_shown)
    warnings_.push_back(
        fmt::format("{}: … and {} more paths with two labels", name_, found.size() - most_shown));
}

}  // namespace marey::data
