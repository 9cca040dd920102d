#include <marey/core/diagnostics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace marey {
namespace {

std::string_view line_of(std::string_view text, std::uint32_t line) {
  while (line > 1) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
    --line;
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// Spaces that put a caret below the byte at `column`; tabs stay tabs, one space for each UTF-8 character.
std::string indent_to(std::string_view line, std::uint32_t column) {
  std::string out;
  for (std::size_t i = 0; i + 1 < column && i < line.size(); ++i) {
    if (line[i] == '\t')
      out += '\t';
    else if ((static_cast<unsigned char>(line[i]) & 0xC0) != 0x80)
      out += ' ';
  }
  return out;
}

std::string render_one(const Diagnostic& d) {
  std::string out;
  if (d.at.source) out += to_string(d.at) + ": ";
  out += "error: ";
  if (!d.path.empty()) out += d.path + ": ";
  out += d.text + "\n";
  if (!d.at.source || d.at.line == 0) return out;
  std::string_view line = line_of(d.at.source->text, d.at.line);
  constexpr std::size_t widest = 160;
  if (line.empty() || line.size() > widest || d.at.column > line.size() + 1) return out;
  const std::string number = std::to_string(d.at.line);
  out += fmt::format("  {} | {}\n  {:{}} | {}^\n", number, line, "", number.size(),
                     indent_to(line, d.at.column));
  return out;
}

}  // namespace

void Diagnostics::add(Origin at, std::string path, std::string text) {
  items_.push_back({std::move(at), std::move(path), std::move(text)});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  auto out = items_;
  std::ranges::stable_sort(out, [](const Diagnostic& a, const Diagnostic& b) {
    const auto key = [](const Diagnostic& d) {
      return std::tuple(d.at.source ? std::string_view(d.at.source->name) : std::string_view{}, d.at.line,
                        d.at.column);
    };
    return key(a) < key(b);
  });
  return out;
}

std::string Diagnostics::render() const {
  std::string out;
  for (const auto& d : sorted()) out += render_one(d);
  return out;
}

void Diagnostics::throw_if_any() const {
  if (!empty()) throw RecipeError(*this);
}

RecipeError::RecipeError(const Diagnostics& all) : UsageError(all.render()), items_(all.sorted()) {}

}  // namespace marey
