// Where things are. Functions, not macros, so that a test compiles to the same object in every clone and the
// compiler cache knows it.
#pragma once
#include <filesystem>

namespace marey::test {

std::filesystem::path source_folder();  // of the repository
std::filesystem::path build_folder();
std::filesystem::path plugin_file(const char* name);  // "slowfast" → build/lib/marey/plugins/slowfast.so
// Inputs from outside: the folder that the environment variable names, else `name` in ../shared beside the
// repository. It need not exist.
std::filesystem::path shared_folder(const char* variable, const char* name);
// The folder of fixtures called `name` ("peers", "pth"): MAREY_FIXTURES names it, or a folder that holds it.
std::filesystem::path fixture_folder(const char* name);

}  // namespace marey::test
