#include "core/elf_note.hpp"

#include "support/catch.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/plugin_loader.hpp>
#include <marey/core/random.hpp>

using namespace marey;

namespace {
const std::filesystem::path zoo = marey::test::build_folder() / "tests" / "plugins_bad";
}

TEST_CASE("the ABI text is read from the file, without loading it") {
  CHECK(read_abi_note(zoo / "good.so") == host_abi());
  CHECK(read_abi_note(zoo / "other_abi.so") == "marey-0;torch-1.0;cxx11abi-0;gnu-4;c++20");
  CHECK(read_abi_note(zoo / "no_note.so") == std::nullopt);
  CHECK(read_plugin_abi(zoo / "good.so") == host_abi());
  CHECK_THROWS_AS(read_plugin_abi(zoo / "no_note.so"), Error);
}

TEST_CASE("what is no shared library is refused") {
  test::TemporaryFolder dir;
  CHECK_THROWS_AS(read_abi_note(dir.path()), Error);
  CHECK_THROWS_AS(read_abi_note(dir.path() / "none.so"), Error);
  CHECK_THROWS_AS(read_abi_note(dir.write("empty.so", "")), Error);
  CHECK_THROWS_AS(
      read_abi_note(dir.write("text.so", "not an ELF file, yet longer than a header of 64 bytes is, see?")),
      Error);
}

TEST_CASE("a file cut anywhere is refused or still has its note, and never crashes the reader") {
  test::TemporaryFolder dir;
  const std::string whole = read_file(zoo / "good.so");
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 16) {
    const auto file = dir.write("cut.so", whole.substr(0, length));
    CHECK_THROWS_AS(read_abi_note(file), Error);
  }
}

TEST_CASE("damaged headers never crash the reader") {
  test::TemporaryFolder dir;
  const std::string whole = read_file(zoo / "good.so");
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    Random random(7, 0, static_cast<std::uint64_t>(round));
    std::string damaged = whole;
    for (int k = 0; k < 4; ++k)
      damaged[static_cast<std::size_t>(random.integer(0, 0x400))] = static_cast<char>(random.bits());
    try {
      (void)read_abi_note(dir.write("damaged.so", damaged));
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}
