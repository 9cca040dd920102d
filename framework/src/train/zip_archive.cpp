#include "train/zip_archive.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace marey {
namespace {

constexpr std::uint64_t longest_directory = std::uint64_t{64} << 20;
constexpr std::size_t end_size = 22, locator_size = 20, end64_size = 56, central_size = 46, local_size = 30;
constexpr std::uint32_t end_mark = 0x06054b50, locator_mark = 0x07064b50, end64_mark = 0x06064b50,
                        central_mark = 0x02014b50, local_mark = 0x04034b50;

// Little-endian, as all numbers of the format. The caller has checked the bounds.
template <class T>
T number(const std::string& bytes, std::size_t at) {
  T out{};
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

// Takes the 64-bit values that stand in the extra field, in this order, for each 32-bit one that is full.
bool widen(const std::string& extra, std::initializer_list<std::uint64_t*> values) {
  constexpr std::uint64_t full = 0xffffffff;
  const bool needed = std::ranges::any_of(values, [](const std::uint64_t* v) { return *v == full; });
  if (!needed) return true;
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const auto tag = number<std::uint16_t>(extra, at), size = number<std::uint16_t>(extra, at + 2);
    at += 4;
    if (size > extra.size() - at) return false;
    if (tag != 1) {
      at += size;
      continue;
    }
    const std::size_t end = at + size;
    for (std::uint64_t* v : values) {
      if (*v != full) continue;
      if (end - at < 8) return false;
      *v = number<std::uint64_t>(extra, at);
      at += 8;
    }
    return true;
  }
  return false;
}

}  // namespace

void ZipArchive::refuse(const std::string& what) const {
  throw CheckpointError(fmt::format("{}: no valid zip file: {}", path_.string(), what));
}

std::string ZipArchive::bytes(std::uint64_t begin, std::uint64_t size) const {
  if (begin > file_size_ || size > file_size_ - begin)
    refuse(fmt::format("it refers to bytes {} to {}, the file has {}", begin, begin + size, file_size_));
  std::string out(size, '\0');
  if (size > 0) file_.read(out.data(), size, begin);
  return out;
}

ZipArchive::ZipArchive(const FileDescriptor& file, std::filesystem::path path)
    : file_(file), path_(std::move(path)), file_size_(file.size()) {
  directory_ = find_directory();
  if (directory_.size > longest_directory)
    refuse(
        fmt::format("its directory has {} bytes, at most {} expected", directory_.size, longest_directory));
  const std::string directory = bytes(directory_.begin, directory_.size);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory_.entries; ++i) read_entry(directory, at);
  check_overlaps();
}

ZipArchive::Directory ZipArchive::find_directory() const {
  // The end record is the last thing in the file but for a comment of at most 65535 bytes.
  const std::uint64_t tail_size = std::min<std::uint64_t>(file_size_, end_size + 0xffff);
  const std::uint64_t tail_begin = file_size_ - tail_size;
  const std::string tail = bytes(tail_begin, tail_size);
  if (tail.size() < end_size) refuse(fmt::format("{} bytes, at least {} expected", file_size_, end_size));
  for (std::size_t at = tail.size() - end_size + 1; at-- > 0;) {
    if (number<std::uint32_t>(tail, at) != end_mark ||
        number<std::uint16_t>(tail, at + 20) != tail.size() - at - end_size)
      continue;
    Directory out{.begin = number<std::uint32_t>(tail, at + 16),
                  .size = number<std::uint32_t>(tail, at + 12),
                  .entries = number<std::uint16_t>(tail, at + 10)};
    if (out.entries == 0xffff || out.size == 0xffffffff || out.begin == 0xffffffff)
      out = read_zip64(tail_begin + at);
    const std::uint64_t end = tail_begin + at;
    if (out.begin > end || out.size > end - out.begin)
      refuse(
          fmt::format("its directory of {} bytes at byte {} ends behind byte {}", out.size, out.begin, end));
    return out;
  }
  refuse("it has no end record; is the file complete?");
}

ZipArchive::Directory ZipArchive::read_zip64(std::uint64_t end_record) const {
  if (end_record < locator_size) refuse("it has no room for its 64-bit end record");
  const std::string locator = bytes(end_record - locator_size, locator_size);
  if (number<std::uint32_t>(locator, 0) != locator_mark) refuse("its 64-bit end record is missing");
  const std::string end = bytes(number<std::uint64_t>(locator, 8), end64_size);
  if (number<std::uint32_t>(end, 0) != end64_mark) refuse("its 64-bit end record is missing");
  return {.begin = number<std::uint64_t>(end, 48),
          .size = number<std::uint64_t>(end, 40),
          .entries = number<std::uint64_t>(end, 32)};
}

void ZipArchive::read_entry(const std::string& directory, std::size_t& at) {
  const std::uint64_t place = directory_.begin + at;
  if (directory.size() - at < central_size || number<std::uint32_t>(directory, at) != central_mark)
    refuse(fmt::format("its directory is damaged at byte {}", place));
  const auto flags = number<std::uint16_t>(directory, at + 8),
             method = number<std::uint16_t>(directory, at + 10);
  std::uint64_t packed = number<std::uint32_t>(directory, at + 20),
                size = number<std::uint32_t>(directory, at + 24),
                local = number<std::uint32_t>(directory, at + 42);
  const std::size_t name_size = number<std::uint16_t>(directory, at + 28),
                    extra_size = number<std::uint16_t>(directory, at + 30),
                    comment_size = number<std::uint16_t>(directory, at + 32);
  at += central_size;
  if (directory.size() - at < name_size + extra_size + comment_size)
    refuse(fmt::format("its directory is damaged at byte {}", place));
  const std::string name = directory.substr(at, name_size),
                    extra = directory.substr(at + name_size, extra_size);
  at += name_size + extra_size + comment_size;
  if (!widen(extra, {&size, &packed, &local})) refuse(fmt::format("the entry '{}' has no 64-bit size", name));

  if (local > directory_.begin || directory_.begin - local < local_size)
    refuse(fmt::format("the entry '{}' begins at byte {}, behind the data", name, local));
  const std::string header = bytes(local, local_size);
  if (number<std::uint32_t>(header, 0) != local_mark)
    refuse(fmt::format("the entry '{}' does not begin at byte {}", name, local));
  const std::size_t local_name = number<std::uint16_t>(header, 26),
                    local_extra = number<std::uint16_t>(header, 28);
  if (local_name != name_size || bytes(local + local_size, local_name) != name)
    refuse(fmt::format("the entry '{}' has another name at byte {}", name, local));
  const std::uint64_t begin = local + local_size + local_name + local_extra;
  if (begin > directory_.begin || packed > directory_.begin - begin)
    refuse(fmt::format("the entry '{}' has {} bytes at byte {}, the data end at byte {}", name, packed, begin,
                       directory_.begin));
  const Entry entry{.begin = begin, .size = size, .stored = method == 0 && (flags & 1) == 0};
  if (entry.stored && packed != size)
    refuse(fmt::format("the entry '{}' has {} bytes and takes {}", name, size, packed));
  if (!entries_.emplace(name, entry).second) refuse(fmt::format("the entry '{}' appears twice", name));
  if (!spans_.emplace(local, begin + packed).second)
    refuse(fmt::format("the entry '{}' lies where another one lies", name));
}

void ZipArchive::check_overlaps() const {
  std::uint64_t end = 0;
  for (const auto& [begin, span_end] : spans_) {
    if (begin < end) refuse(fmt::format("its entries overlap at byte {}", begin));
    end = span_end;
  }
}

const ZipArchive::Entry* ZipArchive::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

const ZipArchive::Entry& ZipArchive::at(const std::string& name) const {
  const Entry* entry = find(name);
  if (!entry) refuse(fmt::format("it has no entry '{}'", name));
  if (!entry->stored)
    refuse(fmt::format("the entry '{}' is compressed or encrypted; torch.save() stores entries as they are",
                       name));
  return *entry;
}

}  // namespace marey
