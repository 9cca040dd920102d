// The program `marey`. It answers --version, --help and completion by itself and loads libmarey.so for
// everything else, because loading LibTorch alone takes a quarter of a second.
#include "app/command_names.hpp"
#include "app/completion.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

int say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return 0;
}

int run_library(int argc, char** argv) {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto library = program.parent_path().parent_path() / "lib" / MAREY_LIBRARY;
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  using Main = int (*)(int, char**);
  const auto main = handle ? reinterpret_cast<Main>(::dlsym(handle, "marey_main")) : nullptr;
  if (!main) {
    std::fprintf(
        stderr,
        "error: %s cannot be loaded: %s\n  expected the library beside the program; install Marey again\n",
        library.c_str(), ::dlerror());
    return 1;
  }
  return main(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    std::fputs(marey::app::overview().c_str(), stderr);
    return 2;
  }
  if (words[0] == "--version") return say("marey " MAREY_VERSION "\n");
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return say(marey::app::overview());
  if (words[0] == "completion") return marey::app::print_completion_script(words);
  if (words[0] == "complete-words") return marey::app::complete_words(words);
  return run_library(argc, argv);
}
