// Runs a program to its end, with its two outputs apart.
#pragma once
#include "support/places.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace marey::test {

struct Finished {
  int code = -1;  // exit code, or 1000 + the signal
  std::string out, err;
};

struct RunWith {
  std::filesystem::path folder = {};                                  // working directory; empty: this one
  std::vector<std::pair<std::string, std::string>> environment = {};  // added
  rlim_t file_size_limit = RLIM_INFINITY;                             // bytes; writing beyond it fails
};

// A child under way; its outputs go to files so that no pipe can fill up.
class Child {
 public:
  Child(const std::vector<std::string>& words, const RunWith& with = {}) {
    out_ = temporary_file(), err_ = temporary_file();
    std::fflush(nullptr);  // else the child would write what this process has yet to write
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ > 0) return;
    if (!with.folder.empty() && ::chdir(with.folder.c_str()) != 0) ::_exit(126);
    for (const auto& [name, value] : with.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (!std::freopen(out_.c_str(), "w", stdout) || !std::freopen(err_.c_str(), "w", stderr)) ::_exit(126);
    const rlimit limit{with.file_size_limit, with.file_size_limit};
    if (with.file_size_limit != RLIM_INFINITY && ::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(126);
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Child() {
    if (!waited_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    std::filesystem::remove(out_);
    std::filesystem::remove(err_);
  }
  Child(const Child&) = delete;

  void send(int signal) { ::kill(pid_, signal); }
  std::string err_so_far() const { return content(err_); }

  Finished wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    waited_ = true;
    Finished f;
    f.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    f.out = content(out_);
    f.err = content(err_);
    return f;
  }

 private:
  static std::string temporary_file() {
    std::string pattern = (std::filesystem::temp_directory_path() / "marey-child-XXXXXX").string();
    const int fd = ::mkstemp(pattern.data());
    if (fd < 0) throw std::runtime_error("no temporary file");
    ::close(fd);
    return pattern;
  }
  static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  std::string out_, err_;
  pid_t pid_ = -1;
  bool waited_ = false;
};

inline std::string marey_program() { return (build_folder() / "bin" / "marey").string(); }

inline Finished marey_run(std::vector<std::string> words, const RunWith& with = {}) {
  words.insert(words.begin(), marey_program());
  return Child(words, with).wait();
}

}  // namespace marey::test
