// Fills one row of a batch: opens the video, plans the clip, reads its pixels into place.
#pragma once
#include "data/bad_files.hpp"
#include "data/batch_memory.hpp"

#include <marey/data/loader.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace marey::data {

struct LoadedRow {
  std::size_t index = 0;  // in the data set; another one than asked for when that was bad
  std::string source;
  std::int64_t label = -1;
  ClipShape shape;
};

struct RowResult {
  std::optional<LoadedRow> row;  // none: left out
  std::vector<BadSample> bad;    // met on the way, in order
};

class SampleLoader {
 public:
  SampleLoader(const Dataset& dataset, const LoaderOptions& options) : dataset_(dataset), options_(options) {}

  // Which sample stands in for a bad one depends on the files alone, never on what other threads met. Errors
  // that are no fault of a file are thrown under every policy, with the sample's path. Thread-safe.
  RowResult load(std::uint64_t epoch, std::size_t index, std::int64_t row, BatchMemory&,
                 const std::function<bool()>& cancelled) const;

 private:
  LoadedRow fill(Sample, Random, std::int64_t row, BatchMemory&,
                 const std::function<bool()>& cancelled) const;

  const Dataset& dataset_;
  const LoaderOptions& options_;
};

}  // namespace marey::data
