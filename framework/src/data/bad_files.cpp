#include "data/bad_files.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace marey::data {

std::size_t most_bad(std::size_t size, double fraction) {
  return static_cast<std::size_t>(fraction * static_cast<double>(size) + 1e-9);  // 0.29 * 100 is 29
}

void BadFiles::add(const BadSample& bad, std::uint64_t epoch) {
  indices_.insert(bad.index);
  if (files_.insert(bad.source).second) {
    log::warning(fmt::format("left out: {}", bad.reason));
    append_line(bad, epoch);
  }
  if (indices_.size() > most_bad(size_, max_fraction_))
    throw DataError(fmt::format(
        "{} of {} samples cannot be used, more than max_bad_fraction = {} allows; the last one: {}\n"
        "  mend the data set, or set loader.max_bad_fraction higher",
        indices_.size(), size_, max_fraction_, bad.reason));
}

// A log that cannot be written is no reason to lose the run.
void BadFiles::append_line(const BadSample& bad, std::uint64_t epoch) {
  if (log_.empty()) return;
  const nlohmann::ordered_json line{
      {"index", bad.index}, {"path", bad.source}, {"epoch", epoch}, {"reason", bad.reason}};
  std::ofstream out(log_, std::ios::app);
  out << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  out.flush();
  if (out) return;
  log::warning(fmt::format("{}: cannot be written; bad files are reported here only", log_.string()));
  log_.clear();
}

}  // namespace marey::data
