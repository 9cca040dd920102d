// Files that survive a crash: written to a temporary name, flushed to disk, renamed.
#pragma once
#include <marey/core/error.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace marey {

std::string read_file(const std::filesystem::path&);  // Error names the path and the reason

// Replaces the file as a whole: temporary name beside it, fsync, rename, fsync of the folder.
void write_file_atomically(const std::filesystem::path&, std::string_view content);
void fsync_file(const std::filesystem::path&);
void fsync_folder(const std::filesystem::path&);

// XXH3-128 of a file or of bytes, as 32 hex digits. Detects damage, not attacks.
std::string xxh3_file(const std::filesystem::path&);
std::string xxh3(std::string_view bytes);

// A lock that ends with the process, however it ends. Used by a run folder.
class FileLock {
 public:
  struct Held : Error {  // another process has it
    using Error::Error;
  };
  FileLock() = default;
  explicit FileLock(const std::filesystem::path&);  // throws Held, or Error where the file cannot be had
  FileLock(FileLock&&) noexcept;
  FileLock& operator=(FileLock&&) noexcept;
  ~FileLock();

 private:
  int fd_ = -1;
};

// Where this program is installed, from /proc/self/exe: <prefix>/lib/marey/plugins, <prefix>/share/marey.
std::filesystem::path installed_plugins();
std::filesystem::path installed_share();

}  // namespace marey
