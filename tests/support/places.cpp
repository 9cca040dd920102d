#include "support/places.hpp"

#include <cstdlib>
#include <string>

namespace marey::test {

namespace fs = std::filesystem;

fs::path source_folder() { return MAREY_SOURCE_DIR; }
fs::path build_folder() { return MAREY_BUILD_DIR; }
fs::path plugin_file(const char* name) {
  return build_folder() / "lib" / "marey" / "plugins" / (std::string(name) + ".so");
}
fs::path shared_folder(const char* variable, const char* name) {
  const char* given = std::getenv(variable);
  return given ? fs::path(given) : source_folder() / ".." / "shared" / name;
}
fs::path fixture_folder(const char* name) {
  const fs::path given = shared_folder("MAREY_FIXTURES", "fixtures");
  return fs::exists(given / name) ? given / name : given;
}

}  // namespace marey::test
