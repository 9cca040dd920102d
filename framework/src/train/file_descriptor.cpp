#include "train/file_descriptor.hpp"

#include <marey/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace marey {
namespace {

constexpr std::size_t largest_transfer = std::size_t{1} << 30;  // Linux moves less than 2 GiB in one call

std::string reason(int error) { return std::strerror(error); }

}  // namespace

FileDescriptor FileDescriptor::create(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) throw Error(fmt::format("{}: cannot be created: {}", path.string(), reason(errno)));
  return {fd, path};
}

FileDescriptor FileDescriptor::open_to_read(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe in the place of a file must not make the program wait for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw CheckpointError(fmt::format("{}: cannot be opened: {}", path.string(), reason(errno)));
  FileDescriptor file(fd, path);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    throw CheckpointError(fmt::format("{}: is no regular file", path.string()));
  return file;
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

void FileDescriptor::write(const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t done = ::write(fd_, at, std::min(count, largest_transfer));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0)
      throw Error(
          fmt::format("{}: cannot be written: {}", path_.string(), reason(done < 0 ? errno : ENOSPC)));
    at += done;
    count -= static_cast<std::size_t>(done);
  }
}

void FileDescriptor::read(void* bytes, std::size_t count, std::uint64_t offset) const {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t done = ::pread(fd_, at, std::min(count, largest_transfer), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw CheckpointError(fmt::format("{}: cannot be read: {}", path_.string(), reason(errno)));
    if (done == 0)
      throw CheckpointError(
          fmt::format("{}: ends at byte {}, {} more expected", path_.string(), offset, count));
    at += done;
    offset += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
}

void FileDescriptor::sync_and_close() {
  const int synced = ::fsync(fd_);
  const int sync_error = errno;
  const int closed = ::close(std::exchange(fd_, -1));
  if (synced != 0)
    throw Error(fmt::format("{}: cannot be flushed to disk: {}", path_.string(), reason(sync_error)));
  if (closed != 0) throw Error(fmt::format("{}: cannot be closed: {}", path_.string(), reason(errno)));
}

std::uint64_t FileDescriptor::size() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0)
    throw CheckpointError(fmt::format("{}: its size cannot be read: {}", path_.string(), reason(errno)));
  return static_cast<std::uint64_t>(info.st_size);
}

}  // namespace marey
