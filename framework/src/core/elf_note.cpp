#include "core/elf_note.hpp"

#include <marey/core/error.hpp>
#include <marey/core/plugin.hpp>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace marey {
namespace {

constexpr std::uint64_t largest_note_segment = 1 << 20;  // real ones have a few hundred bytes
constexpr std::uint64_t largest_abi_text = 4096;

#if defined(__x86_64__)
constexpr Elf64_Half this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half this_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr Elf64_Half this_machine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr Elf64_Half this_machine = EM_PPC64;
#else
#error "the ELF machine number of this processor is not known here"
#endif
constexpr unsigned char this_byte_order =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) throw Error(fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct stat info {};
    if (::fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
      ::close(fd_);
      throw Error("is not a regular file");
    }
    size_ = static_cast<std::uint64_t>(info.st_size);
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;

  std::uint64_t size() const { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= size_ && length <= size_ - offset;
  }

  // Fills `out` completely; the range was checked with holds().
  void read(std::uint64_t offset, std::span<char> out) const {
    while (!out.empty()) {
      const ssize_t n = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw Error(fmt::format("cannot be read: {}", n == 0 ? "it shrank" : std::strerror(errno)));
      out = out.subspan(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
  }

 private:
  int fd_;
  std::uint64_t size_ = 0;
};

[[noreturn]] void truncated(const File& file, std::string_view what) {
  throw Error(fmt::format("is truncated: {} lies beyond the file's {} bytes; build or copy it again", what,
                          file.size()));
}

Elf64_Ehdr read_header(const File& file) {
  Elf64_Ehdr header{};
  unsigned char ident[EI_NIDENT] = {};
  file.read(0, {reinterpret_cast<char*>(ident),
                static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), EI_NIDENT))});
  if (std::memcmp(ident, ELFMAG, SELFMAG) != 0)
    throw Error("is not a shared library: it does not start like an ELF file");
  if (!file.holds(0, sizeof header)) truncated(file, "the ELF header");
  file.read(0, {reinterpret_cast<char*>(&header), sizeof header});
  if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != this_byte_order || header.e_machine != this_machine)
    throw Error(
        fmt::format("is built for another processor: expected 64-bit ELF machine {}, got {}-bit machine {}; "
                    "rebuild it here",
                    this_machine, ident[EI_CLASS] == ELFCLASS64 ? 64 : 32, header.e_machine));
  if (header.e_type != ET_DYN)
    throw Error(
        fmt::format("is not a shared library: expected ELF type {} (DYN), got {}", ET_DYN, header.e_type));
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    throw Error("is damaged: its program headers have a wrong size");
  if (!file.holds(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)))
    truncated(file, "the program header");
  if (header.e_shoff != 0 && !file.holds(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize))
    truncated(file, "the section header");
  return header;
}

// Walks the notes of one segment: {name size, descriptor size, type, name, descriptor}, each part padded.
std::optional<std::string> find_abi(std::span<const char> notes, std::uint64_t align) {
  const auto padded = [align](std::uint64_t n) { return (n + align - 1) / align * align; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::uint64_t name_at = sizeof note;
    const std::uint64_t text_at = padded(name_at + note.n_namesz);
    if (text_at > notes.size() || note.n_descsz > notes.size() - text_at) return std::nullopt;
    const std::string_view name(notes.data() + name_at, note.n_namesz);
    if (name == std::string_view("marey", 6) && note.n_type == plugin_note_type &&
        note.n_descsz <= largest_abi_text) {
      std::string_view text(notes.data() + text_at, note.n_descsz);
      return std::string(text.substr(0, text.find('\0')));
    }
    notes = notes.subspan(
        static_cast<std::size_t>(std::min<std::uint64_t>(padded(text_at + note.n_descsz), notes.size())));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_abi_note(const std::filesystem::path& path) {
  const File file(path);
  const Elf64_Ehdr header = read_header(file);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  file.read(header.e_phoff, {reinterpret_cast<char*>(segments.data()), segments.size() * sizeof(Elf64_Phdr)});
  std::optional<std::string> abi;
  for (const Elf64_Phdr& s : segments) {
    if ((s.p_type == PT_LOAD || s.p_type == PT_NOTE || s.p_type == PT_DYNAMIC) &&
        !file.holds(s.p_offset, s.p_filesz))
      truncated(file, "a segment");
    if (s.p_type != PT_NOTE || abi || s.p_filesz > largest_note_segment) continue;
    std::vector<char> notes(static_cast<std::size_t>(s.p_filesz));
    file.read(s.p_offset, notes);
    abi = find_abi(notes, s.p_align == 8 ? 8 : 4);
  }
  return abi;
}

}  // namespace marey
