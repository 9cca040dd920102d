#include <marey/core/recipe.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace marey {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view replace_key = "_delete_";
constexpr std::size_t deepest = 16;

bool replaces(const Value& table) {
  const Value* mark = table.find(replace_key);
  return mark && mark->boolean() && *mark->boolean();
}

// `_delete_` speaks to merge() only; once merged it is gone.
void drop_marks(Value& v) {
  if (auto* items = v.array_items())
    for (Value& item : *items) drop_marks(item);
  if (auto* entries = v.entries()) {
    v.erase(replace_key);
    for (auto& e : *entries) drop_marks(e.value);
  }
}

void check_marks(const Value& v, const std::string& path, Diagnostics& problems) {
  const auto* entries = v.entries();
  if (!entries) return;
  for (const auto& e : *entries) {
    const std::string here = path.empty() ? e.key : path + "." + e.key;
    if (e.key == replace_key && !(e.value.boolean() && *e.value.boolean()))
      problems.add(e.value.origin, here, fmt::format("expected true, got {}", to_inline_toml(e.value)));
    check_marks(e.value, here, problems);
  }
}

struct BaseName {
  std::string path;
  Origin at;
};

// Takes the key `base` out of a recipe.
std::vector<BaseName> take_bases(Value& recipe) {
  std::vector<BaseName> out;
  const Value* base = recipe.find("base");
  if (!base) return out;
  Diagnostics problems;
  const auto take = [&](const Value& v) {
    if (const auto* text = v.string(); text && !text->empty())
      out.push_back({*text, v.origin});
    else
      problems.add(v.origin, "base", fmt::format("expected the path of a recipe, got {}", to_inline_toml(v)));
  };
  if (const auto* items = base->array_items())
    for (const Value& item : *items) take(item);
  else
    take(*base);
  problems.throw_if_any();
  recipe.erase("base");
  return out;
}

// `chain` holds the files that led here, the recipe first.
Value load_file(const fs::path& path, std::vector<fs::path>& chain) {
  Value own = parse_toml(read_source(path));
  Diagnostics problems;
  check_marks(own, {}, problems);
  problems.throw_if_any();
  chain.push_back(fs::canonical(path));
  Value merged = Value::table();
  for (const BaseName& base : take_bases(own)) {
    const auto stop = [&](const std::string& why) {
      problems.add(base.at, "base", why);
      throw RecipeError(problems);
    };
    const fs::path next = (path.parent_path() / base.path).lexically_normal();
    std::error_code missing;
    const fs::path file = fs::canonical(next, missing);
    if (missing) stop(fmt::format("there is no recipe {} (relative to this file)", next.string()));
    if (std::ranges::find(chain, file) != chain.end()) {
      std::vector<std::string> names;
      for (const auto& f : chain) names.push_back(f.filename().string());
      stop(fmt::format("the recipes inherit each other in a circle: {} -> {}", fmt::join(names, " -> "),
                       file.filename().string()));
    }
    if (chain.size() >= deepest) stop(fmt::format("more than {} recipes inherit one another", deepest));
    merge(merged, load_file(next, chain));
  }
  chain.pop_back();
  const Origin at = own.origin;
  merge(merged, std::move(own));
  merged.origin = at;
  return merged;
}

void collect(const Value& v, const std::string& path, std::vector<Leaf>& out) {
  const auto below = [&](std::string_view part) {
    return path.empty() ? std::string(part) : fmt::format("{}.{}", path, part);
  };
  if (const auto* entries = v.entries(); entries && (!entries->empty() || path.empty())) {
    for (const auto& e : *entries) collect(e.value, below(e.key), out);
  } else if (const auto* items = v.array_items();
             items && !items->empty() && std::ranges::any_of(*items, &Value::is_table)) {
    for (std::size_t i = 0; i < items->size(); ++i) collect((*items)[i], below(std::to_string(i)), out);
  } else {
    out.push_back({path, &v});
  }
}

}  // namespace

void merge(Value& base, Value over) {
  if (!base.is_table() || !over.is_table() || replaces(over)) {
    drop_marks(over);
    base = std::move(over);
    return;
  }
  base.origin = over.origin;
  for (auto& e : *over.entries()) {
    Value* old = base.find(e.key);
    const bool* on = e.value.boolean();
    if (old && old->is_table() && on && !*on) {
      base.erase(e.key);
    } else if (old && old->is_table() && e.value.is_table()) {
      merge(*old, std::move(e.value));
    } else {
      drop_marks(e.value);
      base.set(e.key, std::move(e.value), e.key_origin);
    }
  }
  base.erase(replace_key);
}

Value load_recipe(const fs::path& path, const std::vector<std::string>& overrides) {
  std::vector<fs::path> chain;
  Value recipe = load_file(path, chain);
  Diagnostics problems;
  apply_overrides(recipe, overrides, problems);
  problems.throw_if_any();
  return recipe;
}

std::vector<Leaf> leaves(const Value& recipe) {
  std::vector<Leaf> out;
  collect(recipe, {}, out);
  return out;
}

}  // namespace marey
