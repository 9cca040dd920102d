#include <marey/core/error.hpp>
#include <marey/data/data_root.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace marey::data {
namespace fs = std::filesystem;
namespace {

bool climbs(std::string_view name) {
  for (std::size_t at = name.find(".."); at != std::string_view::npos; at = name.find("..", at + 2))
    if ((at == 0 || name[at - 1] == '/') && (at + 2 == name.size() || name[at + 2] == '/')) return true;
  return false;
}

}  // namespace

bool lies_under(const fs::path& root, std::string_view name) {
  if (!name.starts_with('/') && !climbs(name)) return true;  // nearly every row: no path is built
  const fs::path from = fs::absolute(root.empty() ? "." : root).lexically_normal();
  const fs::path to = (from / name).lexically_normal();
  const fs::path rest = to.lexically_relative(from);
  return !rest.empty() && *rest.begin() != "..";
}

void refuse_outside(const ListedNames& rows, const fs::path& root) {
  constexpr std::size_t most_shown = 20;
  std::size_t count = 0;
  std::string text;
  for (std::size_t i = 0; i < rows.count; ++i)
    if (!lies_under(root, rows.name(i)) && ++count <= most_shown)
      text += fmt::format("\n  {}:{}: {}", rows.list, rows.line(i), rows.name(i));
  if (count == 0) return;
  if (count > most_shown) text += fmt::format("\n  … and {} more", count - most_shown);
  throw DataError(
      fmt::format("{}: {} of {} paths lie outside {}{}\n  set data_root to the folder that holds them, or "
                  "allow_outside = "
                  "true if you trust the list",
                  rows.list, count, rows.count, root.empty() ? "." : root.string(), text));
}

}  // namespace marey::data
