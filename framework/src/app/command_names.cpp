#include "app/command_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace marey::app {

std::span<const CommandName> command_names() {
  static constexpr CommandName names[] = {
      {"train", "RECIPE [key=value …]", "train a model"},
      {"test", "RECIPE|RUN [key=value …]", "evaluate weights on a data set"},
      {"predict", "RECIPE|RUN VIDEO …", "name the action in video files"},
      {"check", "RECIPE [key=value …]", "find everything that is wrong with a recipe and its data"},
      {"config", "RECIPE [key=value …]", "print a recipe with its bases merged"},
      {"convert", "FILE --out FILE.safetensors", "bring weights of other projects under our names"},
      {"export", "CHECKPOINT|FILE --out FILE", "write weights for other programs, under their names"},
      {"list", "[KIND]", "list components and plugins"},
      {"describe", "[TYPE]", "explain a component and its parameters"},
      {"schema", "", "print the JSON Schema of recipes, for editors"},
      {"new plugin", "KIND NAME", "start a plugin that builds and tests as it is"},
      {"data check", "LIST…",
       "decode every file of lists; name what is damaged, short, double or in two splits"},
      {"data index", "LIST", "note frames, rate and errors of every file of a list"},
      {"data motion", "--out FOLDER", "make the synthetic motion data set"},
      {"data pack", "LIST… --out FOLDER", "put many small files into a few tar files"},
      {"data probe", "FILE", "decode one video and say what it is, frame by frame where asked"},
      {"data rawframes", "SRC OUT", "turn videos into folders of numbered pictures"},
      {"data stats", "LIST", "count classes, lengths, sizes and rates of a list"},
      {"doctor", "", "check this machine and this installation"},
      {"completion", "bash|zsh|fish", "print a completion script for a shell"},
  };
  return names;
}

std::string overview() {
  std::size_t width = 0;
  const auto left = [](const CommandName& c) { return fmt::format("{} {}", c.name, c.arguments); };
  for (const auto& c : command_names()) width = std::max(width, left(c).size());
  std::string out =
      "marey trains, evaluates and runs video action models from recipes.\n\nusage: marey COMMAND …\n\n";
  for (const auto& c : command_names()) out += fmt::format("  {:<{}}  {}\n", left(c), width, c.summary);
  return out + "\nmarey COMMAND --help explains a command. Documentation: README.md and docs/.\n";
}

}  // namespace marey::app
