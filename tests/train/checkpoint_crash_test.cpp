#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "train/small_checkpoint.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/train/checkpoint.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>

using namespace marey;
using Catch::Matchers::Contains;
using marey::test::small_checkpoint;
using marey::test::TemporaryFolder;

namespace {

// Runs `body` in a process of its own; returns how that ended, as waitpid() tells it.
int in_child(const std::string& fault, const std::function<void()>& body) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::setenv("MAREY_FAULT", fault.c_str(), 1);
    try {
      body();
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool was_killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

std::int64_t newest_step(const std::filesystem::path& checkpoints) {
  const auto newest = newest_valid_checkpoint(checkpoints);
  return newest ? read_checkpoint(*newest).step() : -1;
}

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("kill -9 at every stage of a save leaves a checkpoint that loads") {
  struct Stage {
    const char* fault;
    std::int64_t newest;  // step of the newest checkpoint afterwards
  };
  for (const auto& [fault, newest] :
       {Stage{"ckpt.begin", 1}, Stage{"ckpt.tensors:1", 1}, Stage{"ckpt.tensors:2", 1},
        Stage{"ckpt.tensors:3", 1}, Stage{"ckpt.state", 1}, Stage{"ckpt.manifest", 1},
        Stage{"ckpt.rename", 1}, Stage{"ckpt.renamed", 2}, Stage{"ckpt.last", 2}, Stage{"ckpt.done", 2}}) {
    INFO(fault);
    const TemporaryFolder folder;
    write_checkpoint(folder.path(), small_checkpoint(1));
    const int status = in_child(fault, [&] { write_checkpoint(folder.path(), small_checkpoint(2)); });
    CHECK(was_killed(status));
    CHECK(newest_step(folder.path()) == newest);

    remove_leftovers(folder.path());
    CHECK(entries(folder.path()) == static_cast<std::size_t>(newest) + 1);  // the checkpoints and last.json
    write_checkpoint(folder.path(), small_checkpoint(2));
    CHECK(newest_step(folder.path()) == 2);
  }
}

TEST_CASE("kill -9 while a checkpoint of the same step is replaced leaves one of the two") {
  for (const char* fault : {"ckpt.begin", "ckpt.tensors:2", "ckpt.manifest", "ckpt.rename", "ckpt.renamed"}) {
    INFO(fault);
    const TemporaryFolder folder;
    write_checkpoint(folder.path(), small_checkpoint(1, 1.0));
    CHECK(was_killed(in_child(fault, [&] { write_checkpoint(folder.path(), small_checkpoint(1, 2.0)); })));
    CHECK(newest_step(folder.path()) == 1);
  }
}

TEST_CASE("kill -9 while a checkpoint is removed hides it as a whole") {
  const TemporaryFolder folder;
  write_checkpoint(folder.path(), small_checkpoint(1));
  write_checkpoint(folder.path(), small_checkpoint(2));
  CHECK(was_killed(in_child("ckpt.remove", [&] { remove_checkpoint(folder.path() / "step_000000001"); })));
  CHECK(list_checkpoints(folder.path()).size() == 1);
  CHECK(newest_step(folder.path()) == 2);
  CHECK(remove_leftovers(folder.path()).size() == 1);
}

TEST_CASE("a disk that is full at any stage leaves the previous checkpoint and a clear error") {
  for (const char* stage : {"ckpt.begin", "ckpt.tensors:2", "ckpt.state", "ckpt.manifest", "ckpt.rename"}) {
    INFO(stage);
    const TemporaryFolder folder;
    write_checkpoint(folder.path(), small_checkpoint(1));
    const std::string fault = std::string(stage) + (std::strchr(stage, ':') ? ":full" : ":1:full");
    const int status = in_child(fault, [&] {
      try {
        write_checkpoint(folder.path(), small_checkpoint(2));
      } catch (const Error& e) {
        const std::string what = e.what();
        const bool clear = what.find("step_000000002: the checkpoint was not saved: ") != std::string::npos &&
                           what.find("No space left on device") != std::string::npos;
        ::_exit(clear ? 42 : 43);
      }
    });
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 42);
    CHECK(newest_step(folder.path()) == 1);
    CHECK(entries(folder.path()) == 2);  // nothing half written stays
  }
}

TEST_CASE("a checkpoint that is in place counts as saved, even when last.json cannot be written") {
  const TemporaryFolder folder;
  const int status = in_child("ckpt.last:1:full", [&] {
    log::set_level(log::Level::error);
    write_checkpoint(folder.path(), small_checkpoint(1));
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(newest_step(folder.path()) == 1);
}

TEST_CASE("a write that the system refuses leaves the previous checkpoint and a clear error") {
  const TemporaryFolder folder;
  write_checkpoint(folder.path(), small_checkpoint(1));
  Checkpoint large = small_checkpoint(2);
  large.model["large"] = at::zeros({1 << 16});
  const int status = in_child("", [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 14, 1 << 14};  // bytes of a file
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_checkpoint(folder.path(), large);
    } catch (const Error& e) {
      const std::string what = e.what();
      ::_exit(what.find("model.safetensors: cannot be written: File too large") != std::string::npos ? 42
                                                                                                     : 43);
    }
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
  CHECK(newest_step(folder.path()) == 1);
  CHECK(entries(folder.path()) == 2);
}
