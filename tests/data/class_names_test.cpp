#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/data/class_names.hpp>

using marey::data::read_class_names;
using Names = std::vector<std::string>;

TEST_CASE("class names are read one a line") {
  marey::test::TemporaryFolder folder;
  CHECK(read_class_names(folder.write("a", "left\nturn right\n")) == Names{"left", "turn right"});
  CHECK(read_class_names(folder.write("b", "\xef\xbb\xbfleft \r\n  right\r\n\r\n")) ==
        Names{"left", "right"});
  CHECK(read_class_names(folder.write("c", "only")) == Names{"only"});
}

TEST_CASE("class names that would shift or clash are refused") {
  marey::test::TemporaryFolder folder;
  const auto error_of = [&](const char* text) {
    try {
      read_class_names(folder.write("names", text));
    } catch (const marey::DataError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(error_of("left\n\nright\n").find("names:2: empty line between class names") != std::string::npos);
  CHECK(error_of("left\nright\nleft\n").find("names:3: class name 'left' is already on line 1") !=
        std::string::npos);
  CHECK(error_of("").find("no class names") != std::string::npos);
  CHECK_THROWS_AS(read_class_names(folder.path() / "missing"), marey::DataError);
}
