// Lists of videos with labels: one `path label` row a line. The text is kept once, as read; a row costs 16
// bytes more.
//
//   clips/a b (31).mp4 0          split at the last blank, so paths may hold blanks
//   "clips/a, b.mp4",1            a quoted path may hold anything; "" stands for a quote
//   clips/c.mp4                   unlabelled; then all rows must be
//
// A byte order mark, CRLF, empty lines, blanks at either end and a missing last newline change nothing.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marey::data {

struct ListOptions {
  std::string delimiter = " ";              // between path and label; " " takes tabs as well
  std::optional<std::int64_t> num_classes;  // labels must lie below; unknown: only below 0 is refused
};

class AnnotationList {
 public:
  // Throws DataError with everything that is wrong: the first 20 rows as file:line, and the count.
  static AnnotationList read(const std::filesystem::path&, const ListOptions& = {});
  static AnnotationList parse(std::string text, std::string name, const ListOptions& = {});

  std::size_t size() const { return rows_.size(); }
  std::string_view path(std::size_t i) const {
    return std::string_view(text_).substr(rows_[i].begin, rows_[i].length);
  }
  std::int64_t label(std::size_t i) const { return rows_[i].label; }  // -1: unlabelled
  std::int64_t line(std::size_t i) const { return rows_[i].line; }    // 1-based
  std::int64_t max_label() const { return max_label_; }               // -1: all rows are unlabelled
  const std::string& name() const { return name_; }
  // Doubtful, yet no error: one path under two labels, with both line numbers. The first 20, then a count.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Row {
    std::uint32_t begin, length;
    std::int32_t label;
    std::uint32_t line;
  };
  void find_duplicates();

  std::string text_, name_;
  std::vector<Row> rows_;
  std::vector<std::string> warnings_;
  std::int64_t max_label_ = -1;
};

}  // namespace marey::data
