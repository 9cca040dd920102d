// A POSIX file for exact control over errors and flushing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace marey {

class FileDescriptor {
 public:
  static FileDescriptor create(const std::filesystem::path&);        // truncates; throws Error
  static FileDescriptor open_to_read(const std::filesystem::path&);  // a regular file; throws CheckpointError
  FileDescriptor(FileDescriptor&&) noexcept;
  ~FileDescriptor();

  void write(const void* bytes, std::size_t count);  // all of them, or Error with the reason
  void read(void* bytes, std::size_t count, std::uint64_t offset) const;  // all of them, or CheckpointError
  void sync_and_close();
  std::uint64_t size() const;

 private:
  FileDescriptor(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::filesystem::path path_;
};

}  // namespace marey
