// Lists of frame folders, one a line, in the form of MMAction2:
//
//   folder frames label           the last numbers count, so that the folder may hold blanks
//   folder offset frames label    with offsets: the clip starts `offset` frames into the folder
//   folder frames                 unlabelled; then all rows must be
//   folder frames label label …   multi-label: the folder ends at the first blank, or is quoted
//   "a folder 7" 30 2             a quoted folder may hold anything; "" stands for a quote
//
// A byte order mark, CRLF, empty lines and blanks at either end change nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marey::data {

struct FrameListOptions {
  bool with_offset = false, multi_label = false;
  std::optional<std::int64_t> num_classes;  // labels must lie below
};

class FrameList {
 public:
  struct Row {
    std::uint32_t begin, length;  // of the folder in the text
    std::uint32_t line;
    std::int32_t offset, frames;
    std::uint32_t first_label, labels;
  };

  // Throws DataError with everything that is wrong: the first 20 rows as file:line, and the count.
  static FrameList parse(std::string text, std::string name, const FrameListOptions&);

  std::size_t size() const { return rows_.size(); }
  const Row& row(std::size_t i) const { return rows_[i]; }
  std::string_view folder(std::size_t i) const {
    return std::string_view(text_).substr(rows_[i].begin, rows_[i].length);
  }
  std::span<const std::int32_t> labels(std::size_t i) const {
    return std::span(labels_).subspan(rows_[i].first_label, rows_[i].labels);
  }
  std::int64_t max_label() const { return max_label_; }  // -1: all rows are unlabelled
  const std::string& name() const { return name_; }
  // Rows that name the same frames under other labels, with both line numbers. The first 20, then a count.
  std::vector<std::string> warnings() const;

 private:
  std::string add(std::span<char> line, std::uint32_t number, const FrameListOptions&);

  std::string text_, name_;
  std::vector<Row> rows_;
  std::vector<std::int32_t> labels_;
  std::int64_t max_label_ = -1;
};

}  // namespace marey::data
