#include <marey/core/error.hpp>
#include <marey/core/files.hpp>

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace marey {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& path, int reason) {
  throw Error(fmt::format("{}: {}: {}", path.string(), what, std::strerror(reason)));
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, const char* what)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail(what, path, errno);
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Some file systems report a failed write only here.
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

// Calls use(bytes) with one piece after the other.
template <class Use>
void read_pieces(const fs::path& path, Use use) {
  Descriptor file(path, O_RDONLY, "cannot be opened");
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot be read", path, errno);
    if (n == 0) return;
    use(std::string_view(buffer.data(), static_cast<std::size_t>(n)));
  }
}

std::string hex(XXH128_hash_t h) { return fmt::format("{:016x}{:016x}", h.high64, h.low64); }

fs::path prefix_of_this_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::string out;
  read_pieces(path, [&](std::string_view piece) { out += piece; });
  return out;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  const fs::path temporary = path.string() + fmt::format(".{}.tmp", ::getpid());
  try {
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC, "cannot be created");
    while (!content.empty()) {
      const ssize_t n = ::write(file.get(), content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("cannot be written", path, errno);
      content.remove_prefix(static_cast<std::size_t>(n));
    }
    if (::fsync(file.get()) != 0) fail("cannot be flushed to disk", path, errno);
    if (file.close() != 0) fail("cannot be written", path, errno);
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail("cannot be replaced", path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  fsync_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

void fsync_file(const fs::path& path) {
  Descriptor file(path, O_RDONLY, "cannot be opened");
  if (::fsync(file.get()) != 0) fail("cannot be flushed to disk", path, errno);
}

void fsync_folder(const fs::path& path) {
  Descriptor folder(path, O_RDONLY | O_DIRECTORY, "cannot be opened");
  if (::fsync(folder.get()) != 0) fail("cannot be flushed to disk", path, errno);
}

std::string xxh3_file(const fs::path& path) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  read_pieces(path,
              [&](std::string_view piece) { XXH3_128bits_update(state.get(), piece.data(), piece.size()); });
  return hex(XXH3_128bits_digest(state.get()));
}

std::string xxh3(std::string_view bytes) { return hex(XXH3_128bits(bytes.data(), bytes.size())); }

FileLock::FileLock(const fs::path& path) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) fail("cannot be opened", path, errno);
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    const int reason = errno;
    ::close(std::exchange(fd_, -1));
    if (reason == EWOULDBLOCK)
      throw Held(fmt::format("{}: another process holds this lock; wait for its end", path.string()));
    fail("cannot be locked", path, reason);
  }
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

fs::path installed_plugins() { return prefix_of_this_program() / "lib" / "marey" / "plugins"; }
fs::path installed_share() { return prefix_of_this_program() / "share" / "marey"; }

}  // namespace marey
