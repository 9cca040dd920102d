// Recipes: TOML files that inherit one another, and overrides of the command line. See docs/recipes.md.
#pragma once
#include <marey/core/diagnostics.hpp>
#include <marey/core/value.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

// Parses a TOML document; errors (with position and caret) throw RecipeError.
Value parse_toml(std::shared_ptr<const Source>);
std::shared_ptr<const Source> read_source(
    const std::filesystem::path&);  // UsageError when missing, unreadable or empty

// Merges `over` onto `base`: tables deep, everything else (arrays too) whole; `_delete_ = true` in a table of
// `over` replaces the base's table; `key = false` for a table of the base drops it. Origins follow the
// winning value.
void merge(Value& base, Value over);

// Loads a recipe with all its bases: `base = "x.toml"` or `base = ["a.toml", "b.toml"]`, left to right,
// relative to the file that names them; cycles and a depth above 16 are errors. Then applies the overrides of
// the command line.
Value load_recipe(const std::filesystem::path&, const std::vector<std::string>& overrides = {});

// In order:
//   a.b.1.c=VALUE   sets a key (list elements by index); the schema checks later whether such a key exists
//   +a.b=VALUE      adds a key that is not there yet, or appends to a list
//   ~a.b            removes a key or a list element
// VALUE parses as TOML; a bare word becomes a string. A part of a key that holds a dot is written in
// "quotes". Relative paths in a VALUE start at the working directory.
void apply_overrides(Value& recipe, const std::vector<std::string>& overrides, Diagnostics&);

// Dotted key → leaf, depth first in source order: for `marey config --origin`.
struct Leaf {
  std::string path;
  const Value* value;
};
std::vector<Leaf> leaves(const Value& recipe);

}  // namespace marey
