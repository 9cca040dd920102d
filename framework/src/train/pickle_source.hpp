// Bytes of a part of a file, one after another, through a small window: a pickle may be followed by
// gigabytes.
#pragma once
#include "train/file_descriptor.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

namespace marey {

class PickleSource {
 public:
  // More than `most` bytes, those that are skipped aside, are refused.
  PickleSource(const FileDescriptor& file, std::filesystem::path path, std::uint64_t begin, std::uint64_t end,
               std::uint64_t most)
      : file_(file), path_(std::move(path)), window_begin_(begin), end_(end), left_to_take_(most) {}

  std::uint64_t place() const { return window_begin_ + at_; }
  std::uint64_t left() const { return end_ - place(); }
  const std::filesystem::path& path() const { return path_; }
  [[noreturn]] void refuse(const std::string& what) const { refuse_at(place(), what); }
  [[noreturn]] void refuse_at(std::uint64_t place, const std::string& what) const;

  void skip(std::uint64_t count);
  std::string take(std::uint64_t count);
  std::string line();  // without its end; a name of a module or of a class
  std::uint8_t byte() { return number<std::uint8_t>(); }
  template <class T>  // little-endian
  T number() {
    T out{};
    copy(&out, sizeof out);
    return out;
  }

 private:
  void copy(void* out, std::size_t count) {
    if (window_.size() - at_ < count) refill(count);
    if (count > left_to_take_) refuse("the pickle is too long");
    left_to_take_ -= count;
    std::memcpy(out, window_.data() + at_, count);
    at_ += count;
  }
  void refill(std::size_t needed);

  const FileDescriptor& file_;
  std::filesystem::path path_;
  std::uint64_t window_begin_, end_, left_to_take_;
  std::string window_;
  std::size_t at_ = 0;
};

}  // namespace marey
