// The directory of a zip file whose entries are stored as they are, as torch.save() writes it. Reads nothing
// that the file has not got: every offset is checked, entries may not overlap.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#pragma once
#include "train/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace marey {

class ZipArchive {
 public:
  struct Entry {
    std::uint64_t begin = 0, size = 0;  // of its bytes in the file
    bool stored = true;                 // neither compressed nor encrypted
  };

  // Throws CheckpointError naming the file and what is wrong.
  ZipArchive(const FileDescriptor&, std::filesystem::path);

  const std::map<std::string, Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& name) const;
  const Entry& at(const std::string& name) const;  // CheckpointError: absent, compressed

 private:
  struct Directory {
    std::uint64_t begin = 0, size = 0, entries = 0;
  };
  Directory find_directory() const;
  Directory read_zip64(std::uint64_t end_record) const;
  void read_entry(const std::string& bytes, std::size_t& at);
  void check_overlaps() const;
  std::string bytes(std::uint64_t begin, std::uint64_t size) const;
  [[noreturn]] void refuse(const std::string& what) const;

  const FileDescriptor& file_;
  std::filesystem::path path_;
  std::uint64_t file_size_ = 0;
  Directory directory_;
  std::map<std::string, Entry> entries_;
  std::map<std::uint64_t, std::uint64_t> spans_;  // of local headers with their data: begin, end
};

}  // namespace marey
