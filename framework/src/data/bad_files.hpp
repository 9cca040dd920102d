// Keeps account of the files that a run went on without.
#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace marey::data {

struct BadSample {
  std::size_t index = 0;  // in the data set
  std::string source;
  std::string reason;
};

// How many samples may be bad: the whole part of fraction * size.
std::size_t most_bad(std::size_t size, double fraction);

class BadFiles {
 public:
  BadFiles(std::size_t dataset_size, double max_fraction, std::filesystem::path log)
      : size_(dataset_size), max_fraction_(max_fraction), log_(std::move(log)) {}

  // Logs a file the first time it is met. Throws DataError when too much of the data set is bad.
  void add(const BadSample&, std::uint64_t epoch);
  std::size_t files() const { return files_.size(); }

 private:
  void append_line(const BadSample&, std::uint64_t epoch);

  std::size_t size_;
  double max_fraction_;
  std::filesystem::path log_;
  std::set<std::size_t> indices_;
  std::set<std::string> files_;
};

}  // namespace marey::data
