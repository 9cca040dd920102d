#include <marey/core/diagnostics.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace marey {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Optimal string alignment: a swapped pair counts once.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> before(columns), above(columns), row(columns);
  for (std::size_t j = 0; j < columns; ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < columns; ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

constexpr std::size_t short_list = 24;  // longer lists of known names help nobody

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string* best = nullptr;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
  if (word.size() < 100)  // nobody mistypes more than that
    for (const std::string& k : known)
      if (const auto d = distance(word, k); d < limit) limit = d, best = &k;
  if (best) return fmt::format("; did you mean '{}'?", *best);
  if (known.empty() || known.size() > short_list) return {};
  return fmt::format(" (known: {})", fmt::join(known, ", "));
}

}  // namespace marey
