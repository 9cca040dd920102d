#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

using namespace marey;
using marey::test::TemporaryFolder;

TEST_CASE("a file is replaced as a whole and leaves nothing beside it") {
  TemporaryFolder dir;
  const auto file = dir.path() / "a.txt";
  write_file_atomically(file, "one");
  write_file_atomically(file, std::string(3 << 20, 'x'));
  CHECK(read_file(file).size() == 3u << 20);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
  CHECK_THROWS_AS(write_file_atomically(dir.path() / "no" / "b.txt", "x"), Error);
  CHECK_THROWS_AS(read_file(dir.path() / "c.txt"), Error);
}

TEST_CASE("a write that fails leaves the old file") {
  TemporaryFolder dir;
  const auto file = dir.write("a.txt", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, 1000};  // bytes a file may have: write() fails as on a full disk
    ::setrlimit(RLIMIT_FSIZE, &small);
    try {
      write_file_atomically(file, std::string(5000, 'x'));
      ::_exit(1);
    } catch (const Error&) {
      ::_exit(0);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(read_file(file) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("XXH3-128 of known bytes") {
  CHECK(xxh3("") == "99aa06d3014798d86001c324468d497f");
  TemporaryFolder dir;
  CHECK(xxh3_file(dir.write("a", "some bytes")) == xxh3("some bytes"));
  CHECK(xxh3("some bytes") != xxh3("some bytez"));
}

TEST_CASE("a lock is held by one process and ends with it") {
  TemporaryFolder dir;
  const auto file = dir.path() / "lock";
  {
    FileLock mine(file);
    CHECK_THROWS_AS(FileLock(file), Error);
    FileLock moved = std::move(mine);
    CHECK_THROWS_AS(FileLock(file), Error);
  }
  CHECK_NOTHROW(FileLock(file));
  const pid_t child = ::fork();
  if (child == 0) {
    FileLock theirs(file);
    ::_exit(0);  // no destructor runs
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK_NOTHROW(FileLock(file));
}

TEST_CASE("every message reaches the sinks that stand") {
  std::vector<std::string> got;
  {
    log::Sink sink([&](log::Level, std::string_view m) { got.emplace_back(m); });
    log::debug("not shown on stderr\n");
  }
  log::debug("too late");
  REQUIRE(got.size() == 1);
  CHECK(got[0] == "not shown on stderr");
}
