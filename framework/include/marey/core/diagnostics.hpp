// Everything that is wrong with a recipe, collected so that it can be reported in one go.
#pragma once
#include <marey/core/error.hpp>
#include <marey/core/value.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

struct Diagnostic {
  Origin at;
  std::string path;  // dotted key: "model.backbone.alpha"; may be empty
  std::string text;  // what is wrong, expected and got; a suggestion at the end
};

class Diagnostics {
 public:
  void add(Origin at, std::string path, std::string text);
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  std::vector<Diagnostic> sorted() const;  // by source, line, column
  // "file:line:col: error: path: text" with the source line and a caret under each. Ends in a newline.
  std::string render() const;
  void throw_if_any() const;  // RecipeError

 private:
  std::vector<Diagnostic> items_;
};

class RecipeError : public UsageError {
 public:
  explicit RecipeError(const Diagnostics& all);
  const std::vector<Diagnostic>& items() const { return items_; }

 private:
  std::vector<Diagnostic> items_;
};

// "; did you mean 'alpha'?", or " (known: a, b, c)" when nothing is near and the list is short, or "".
// A swapped pair of letters counts as one edit; case does not count.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace marey
