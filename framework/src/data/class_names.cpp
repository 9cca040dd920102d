#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/data/class_names.hpp>

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

namespace marey::data {

std::vector<std::string> read_class_names(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error& e) {
    throw DataError(fmt::format("class names: {}", e.what()));
  }
  constexpr std::string_view bom = "\xef\xbb\xbf", blanks = " \t\r\v\f";
  std::string_view rest = text;
  if (rest.starts_with(bom)) rest.remove_prefix(bom.size());

  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> lines;
  std::size_t empty_line = 0;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const auto end = rest.find('\n');
    std::string_view name = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    name.remove_prefix(std::min(name.find_first_not_of(blanks), name.size()));
    name = name.substr(0, name.find_last_not_of(blanks) + 1);
    if (name.empty()) {
      if (!empty_line) empty_line = line;
      continue;
    }
    if (empty_line)  // at the end it is harmless; here it would shift every later class
      throw DataError(fmt::format("{}:{}: empty line between class names; each line is one class",
                                  file.string(), empty_line));
    if (const auto [it, fresh] = lines.emplace(name, line); !fresh)
      throw DataError(fmt::format("{}:{}: class name '{}' is already on line {}; names must differ",
                                  file.string(), line, name, it->second));
    names.emplace_back(name);
  }
  if (names.empty()) throw DataError(fmt::format("{}: no class names; expected one a line", file.string()));
  return names;
}

}  // namespace marey::data
