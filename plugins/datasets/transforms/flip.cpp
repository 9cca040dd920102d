#include "flip.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/data/geometry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace marey::datasets {
namespace {

std::int64_t class_index(const std::string& word, const std::vector<std::string>& names) {
  if (const auto it = std::ranges::find(names, word); it != names.end()) return it - names.begin();
  std::int64_t index = -1;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), index);
  const bool number = problem == std::errc{} && end == word.data() + word.size() && index >= 0;
  if (names.empty()) {
    if (number) return index;
    throw UsageError(fmt::format(
        "label_map: '{}' is no class index; the data set has no class_names, so give indices", word));
  }
  if (number && index < static_cast<std::int64_t>(names.size())) return index;
  throw UsageError(fmt::format("label_map: no class is called '{}'{}", word, did_you_mean(word, names)));
}

}  // namespace

Schema<Flip::Params> Flip::schema() {
  return Schema<Params>{}
      .arg<&Params::probability>({.doc = "of mirroring a clip; 0 never, 1 always", .min = 0, .max = 1})
      .arg<&Params::label_map>(
          {.doc = "class of a mirrored clip where it is another one, by name or index, in both "
                  "directions: { left = \"right\", right = \"left\" }"});
}

void Flip::prepare(const std::vector<std::string>& class_names) {
  mirror_.clear();
  for (const auto& [from, to] : p_.label_map) {
    const auto index = class_index(from, class_names);
    mirror_[index] = class_index(to, class_names);
  }
  for (const auto& [from, to] : p_.label_map) {
    const auto back = mirror_.find(class_index(to, class_names));
    if (back == mirror_.end() || back->second != class_index(from, class_names))
      throw UsageError(fmt::format(
          "label_map turns '{}' into '{}' but not back; a mirror works both ways: add {} = \"{}\"", from, to,
          to, from));
  }
}

void Flip::apply(data::Clip& clip, Random& random) const {
  if (!random.chance(p_.probability)) return;
  for (auto& g : clip.crops) g = data::flipped(g);
  for (auto& label : clip.labels)
    if (const auto it = mirror_.find(label); it != mirror_.end()) label = it->second;
}

}  // namespace marey::datasets
