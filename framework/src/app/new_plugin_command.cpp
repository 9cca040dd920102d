// marey new plugin KIND NAME [--out FOLDER]: fills the templates of share/marey/scaffold.
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/core/files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace marey::app {
namespace {

namespace fs = std::filesystem;

struct Kind {
  const char *name, *base, *summary, *recipe;
};

constexpr Kind kinds[] = {
    {"backbone", "Backbone", "a few 3D convolutions", "    [model.backbone]\n    type = \"@Name@\""},
    {"dataset", "Dataset", "plain pictures of a class's brightness",
     "    [data.train]\n    type = \"@Name@\""},
    {"head", "Head", "mean over time and space, then a linear layer",
     "    [model.head]\n    type = \"@Name@\""},
    {"hook", "Hook", "logs the largest gradient", "    [hooks.@name@]\n    type = \"@Name@\""},
    {"loss", "Loss", "cross-entropy that counts easy samples less",
     "    [model.loss]\n    type = \"@Name@\""},
    {"metric", "Metric", "mean of the highest probability", "    [[metrics]]\n    type = \"@Name@\""},
    {"model", "Model", "a linear classifier of the mean colour", "    [model]\n    type = \"@Name@\""},
    {"optimizer", "Optimizer", "steps of fixed length against the gradient's sign",
     "    [optimizer]\n    type = \"@Name@\""},
    {"schedule", "Schedule", "falls in a straight line", "    [schedule]\n    type = \"@Name@\""},
    {"transform", "Transform", "plays a clip backwards now and then",
     "    [[data.train.pipeline]]\n    type = \"@Name@\""},
};

void options(Arguments& a) {
  a.take_positionals(2, 2);
  a.add_text("out", "the folder to create (default: the plugin's name)");
}

const Kind& find_kind(const std::string& name) {
  std::vector<std::string> known;
  for (const Kind& k : kinds) {
    if (name == k.name) return k;
    known.emplace_back(k.name);
  }
  throw UsageError(fmt::format("there is no kind '{}'{}", name, did_you_mean(name, known)));
}

// "blur_pool" and "BlurPool" of either.
std::string snake_case(const std::string& name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool new_word = std::isupper(c) && i > 0 &&
                          (std::islower(static_cast<unsigned char>(name[i - 1])) ||
                           (i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1]))));
    if (new_word && out.back() != '_') out += '_';
    out += c == '-' ? '_' : static_cast<char>(std::tolower(c));
  }
  return out;
}

std::string camel_case(const std::string& name) {
  if (std::ranges::any_of(name, [](unsigned char c) { return std::isupper(c); }) &&
      name.find_first_of("_-") == std::string::npos)
    return name;
  std::string out;
  bool start = true;
  for (const unsigned char c : name) {
    if (c == '_' || c == '-')
      start = true;
    else
      out += static_cast<char>(std::exchange(start, false) ? std::toupper(c) : c);
  }
  return out;
}

void check_name(const std::string& name) {
  const auto good = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0])) || !std::ranges::all_of(name, good))
    throw UsageError(
        fmt::format("'{}' cannot name a plugin; expected letters, digits and _, a letter first", name));
}

using Words = std::vector<std::pair<std::string, std::string>>;

std::string filled(std::string text, const Words& words) {
  for (const auto& [mark, word] : words)
    for (std::size_t i = 0; (i = text.find(mark, i)) != std::string::npos; i += word.size())
      text.replace(i, mark.size(), word);
  return text;
}

ExitCode run(const Arguments& a) {
  const Kind& kind = find_kind(a.positionals()[0]);
  check_name(a.positionals()[1]);
  const std::string name = snake_case(a.positionals()[1]), type = camel_case(a.positionals()[1]);
  const fs::path out = a.given("out") ? fs::path(a.text("out")) : fs::path(name);
  std::error_code ignored;
  if (fs::exists(out) && !fs::is_empty(out, ignored))
    throw UsageError(
        fmt::format("{} exists already and is not empty; choose another folder with --out", out.string()));
  const Words words{{"@recipe@", kind.recipe}, {"@name@", name},      {"@Name@", type},
                    {"@kind@", kind.name},     {"@Base@", kind.base}, {"@summary@", kind.summary}};
  const fs::path templates = installed_share() / "scaffold";
  const auto write = [&](const std::string& from, const std::string& to) {
    write_file_atomically(out / to, filled(read_file(templates / from), words));
  };
  fs::create_directories(out);
  write("CMakeLists.txt.in", "CMakeLists.txt");
  write("README.md.in", "README.md");
  write("plugin.cpp.in", "plugin.cpp");
  write("test.cpp.in", "test.cpp");
  write(fmt::format("{}.hpp.in", kind.name), name + ".hpp");
  print(fmt::format(
      "{} holds a plugin with the {} {}. Next:\n  cmake -S {} -B {}/build -DCMAKE_PREFIX_PATH={}\n"
      "  cmake --build {}/build && ctest --test-dir {}/build\n",
      out.string(), kind.name, type, out.string(), out.string(),
      installed_share().parent_path().parent_path().string(), out.string(), out.string()));
  return ExitCode::ok;
}

}  // namespace

extern const Command new_plugin_command{"new plugin", options, run};

}  // namespace marey::app
