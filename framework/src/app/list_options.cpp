#include "app/list_options.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <charconv>

namespace marey::app {

void add_list_options(Arguments& a) {
  a.add_text("root", "where relative paths of the list start (default: the list's own folder)");
  a.add_text("delimiter", "between path and label; a blank stands for tabs as well", " ");
  a.add_number("jobs", "files at a time; 0: one for each processor", 0);
}

std::filesystem::path root_of(const Arguments& a) { return a.given("root") ? a.text("root") : ""; }

int jobs_of(const Arguments& a) { return static_cast<int>(number_between(a, "jobs", 0, 256)); }

std::int64_t number_between(const Arguments& a, const char* name, std::int64_t least, std::int64_t most) {
  const auto n = a.number(name);
  if (n < least || n > most)
    throw UsageError(fmt::format("--{} {}: expected from {} to {}", name, n, least, most));
  return n;
}

double real_between(const Arguments& a, const char* name, double least, double most) {
  const std::string& text = a.text(name);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    throw UsageError(fmt::format("--{} {}: expected a number from {} to {}", name, text, least, most));
  return value;
}

}  // namespace marey::app
