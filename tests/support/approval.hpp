// Compares a text with tests/approved/NAME. On a difference the text received is written beside the build,
// and the message says how to accept it.
#pragma once
#include "support/catch.hpp"
#include "support/places.hpp"

#include <marey/core/files.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace marey::test {

inline void approve(const std::string& name, const std::string& received) {
  namespace fs = std::filesystem;
  const fs::path approved = source_folder() / "tests" / "approved" / name;
  if (std::getenv("MAREY_APPROVE")) {
    fs::create_directories(approved.parent_path());
    write_file_atomically(approved, received);
  }
  const std::string expected = fs::exists(approved) ? read_file(approved) : std::string();
  if (expected != received) {
    const fs::path other = build_folder() / "received" / name;
    fs::create_directories(other.parent_path());
    write_file_atomically(other, received);
    INFO("compare " << approved.string() << " with " << other.string()
                    << "; when the new text is right, run this test with MAREY_APPROVE=1");
    CHECK(received == expected);
  } else {
    SUCCEED();
  }
}

}  // namespace marey::test
