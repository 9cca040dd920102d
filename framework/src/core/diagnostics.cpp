#include <marey/core/diagnostics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

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

// How many bytes of valid UTF-8 the first character takes; 0: it is none, or one that moves the cursor.
std::size_t character_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (bytes == 0 || first > 0xF4 || bytes > text.size()) return 0;
  if (bytes == 1 && (first < 0x20 || first == 0x7F) && first != '\t') return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  return bytes;
}

// A line as a terminal can show it, and the spaces as wide as the bytes before `column`; tabs stay tabs.
std::pair<std::string, std::string> shown(std::string_view line, std::uint32_t column) {
  std::string text, indent;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t bytes = character_at(line.substr(i));
    if (i + 1 < column) indent += line[i] == '\t' ? '\t' : ' ';
    text += bytes == 0 ? std::string_view("\uFFFD") : line.substr(i, bytes);
    i += std::max<std::size_t>(bytes, 1);
  }
  return {std::move(text), std::move(indent)};
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
  const auto [text, indent] = shown(line, d.at.column);
  out += fmt::format("  {} | {}\n  {:{}} | {}^\n", number, text, "", number.size(), indent);
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
