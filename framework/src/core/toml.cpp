// TOML text to Values. toml++ sorts keys and loses the source on copies, so its tree is converted at once:
// keys in the order written, every node with its place.
#include <marey/core/files.hpp>
#include <marey/core/recipe.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

namespace marey {
namespace {

class Converter {
 public:
  Converter(std::shared_ptr<const Source> source, Diagnostics& problems)
      : source_(std::move(source)), problems_(problems) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < source_->text.size(); ++i)
      if (source_->text[i] == '\n') lines_.push_back(i + 1);
  }

  // toml++ counts characters, an Origin counts bytes.
  Origin place(const toml::source_region& region) const {
    Origin at{source_, region.begin.line, region.begin.column};
    if (at.line == 0 || at.line > lines_.size()) return at;
    std::size_t i = lines_[at.line - 1];
    for (std::uint32_t c = 1; c < region.begin.column && i < source_->text.size(); ++c) do
        ++i;
      while (i < source_->text.size() && (static_cast<unsigned char>(source_->text[i]) & 0xC0) == 0x80);
    at.column = static_cast<std::uint32_t>(i - lines_[at.line - 1] + 1);
    return at;
  }

  Value convert(const toml::node& node, const std::string& path) {
    Value out = content(node, path);
    out.origin = place(node.source());
    return out;
  }

 private:
  Value content(const toml::node& node, const std::string& path) {
    if (const auto* t = node.as_table()) return table(*t, path);
    if (const auto* a = node.as_array()) {
      Value::Array out;
      for (const auto& item : *a) out.push_back(convert(item, fmt::format("{}.{}", path, out.size())));
      return out;
    }
    if (const auto* s = node.as_string()) return s->get();
    if (const auto* i = node.as_integer()) return i->get();
    if (const auto* d = node.as_floating_point()) return d->get();
    if (const auto* b = node.as_boolean()) return b->get();
    problems_.add(place(node.source()), path, "no parameter is a date or a time; write it as a \"string\"");
    return {};
  }

  Value table(const toml::table& t, const std::string& path) {
    Value::Table out;
    for (const auto& [key, node] : t) {
      const std::string name(key.str());
      out.push_back({name, convert(node, path.empty() ? name : path + "." + name), place(key.source())});
    }
    std::ranges::stable_sort(
        out, {}, [](const Value::Entry& e) { return std::pair(e.key_origin.line, e.key_origin.column); });
    return out;
  }

  std::shared_ptr<const Source> source_;
  Diagnostics& problems_;
  std::vector<std::size_t> lines_;  // where each begins
};

}  // namespace

Value parse_toml(std::shared_ptr<const Source> source) {
  Diagnostics problems;
  Converter converter(source, problems);
  try {
    const toml::table root = toml::parse(source->text, source->name);
    Value out = converter.convert(root, {});
    if (out.origin.line == 0) out.origin = {source, 1, 1};
    problems.throw_if_any();
    return out;
  } catch (const toml::parse_error& e) {
    problems.add(converter.place(e.source()), {}, fmt::format("not valid TOML: {}", e.description()));
    throw RecipeError(problems);
  }
}

std::shared_ptr<const Source> read_source(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const std::string name = path.string();
  std::error_code reason;
  const auto status = fs::status(path, reason);
  if (!fs::exists(status))
    throw UsageError(fmt::format("{}: there is no such recipe; expected a TOML file", name));
  if (fs::is_directory(status))
    throw UsageError(fmt::format("{}: this is a folder; expected a recipe (a TOML file)", name));
  constexpr std::uintmax_t largest = 16u << 20;
  if (fs::is_regular_file(status) && fs::file_size(path, reason) > largest)
    throw UsageError(fmt::format("{}: larger than 16 MiB; expected a recipe (a TOML file)", name));
  auto source = std::make_shared<Source>();
  source->name = name;
  source->directory = fs::absolute(path).parent_path().lexically_normal().string();
  try {
    source->text = read_file(path);
  } catch (const Error& e) {
    throw UsageError(e.what());
  }
  if (source->text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw UsageError(fmt::format("{}: the file is empty; expected a recipe. See docs/recipes.md", name));
  return source;
}

}  // namespace marey
