#include "media/libav.hpp"
#include "media/number_field.hpp"
#include "media/tar.hpp"

#include <marey/media/frame_names.hpp>
#include <marey/media/pack.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace marey::media {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t largest_picture = std::int64_t{1} << 30;

class Shard {
 public:
  explicit Shard(fs::path path) : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(path_, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  ~Shard() { ::close(fd_); }
  Shard(const Shard&) = delete;

  void read(std::int64_t offset, std::int64_t bytes, std::string& out) const {
    out.resize(static_cast<std::size_t>(bytes));
    for (std::size_t done = 0; done < out.size();) {
      const ssize_t n =
          ::pread(fd_, out.data() + done, out.size() - done, offset + static_cast<std::int64_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
      if (n == 0) fail(path_, "is shorter than its index says");
      done += static_cast<std::size_t>(n);
    }
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  int fd_;
};

struct Entry {
  std::int64_t number, offset, bytes;
  std::string_view name;
};

struct Table {
  std::string text;
  std::vector<Entry> entries;  // by number
};

Table read_table(const Shard& shard, const PackedFile& at, const std::string& folder,
                 const FrameNames& names) {
  if (at.bytes > largest_picture) fail(shard.path(), "the table of a folder is larger than 1 GiB");
  Table out;
  shard.read(at.offset, at.bytes, out.text);
  const std::string own = fs::path(folder).filename().string();
  const std::int64_t base = at.offset + tar_padded(at.bytes);
  std::string_view rest = out.text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    std::string_view row = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto offset = take_number(row), bytes = take_number(row);
    if (!offset || !bytes || *bytes > largest_picture || *offset > (std::int64_t{1} << 60) || row.empty())
      fail(shard.path(), fmt::format("the table of the folder {} is damaged", folder));
    if (const auto number = names.number(row, own))
      out.entries.push_back({*number, base + *offset, *bytes, row});
  }
  std::ranges::sort(out.entries, {}, &Entry::number);
  return out;
}

std::vector<std::int64_t> numbers_of(const Table& table) {
  std::vector<std::int64_t> out;
  for (const Entry& e : table.entries) out.push_back(e.number);
  return out;
}

class PackedFrames final : public PictureStore {
 public:
  PackedFrames(const PackedFile& at, std::string folder, const FrameFolderOptions& options)
      : shard_(at.shard),
        folder_(std::move(folder)),
        names_(options.name_template),
        first_(options.first),
        table_(read_table(shard_, at, folder_, names_)),
        frames_(options.frames > 0 ? options.frames
                                   : FrameNumbers(numbers_of(table_)).run_from(options.first)) {
    if (frames_ < 1)
      fail(shard_.path() / folder_,
           fmt::format("holds no frame {}; look at the template and the first number",
                       names_.name(first_, fs::path(folder_).filename().string())));
  }

  std::int64_t frames() const override { return frames_; }
  std::string name(std::int64_t index) const override {
    return (shard_.path() / folder_ / names_.name(first_ + index, fs::path(folder_).filename().string()))
        .string();
  }
  void get(std::int64_t index, std::string& bytes) override {
    const auto at = std::ranges::lower_bound(table_.entries, first_ + index, {}, &Entry::number);
    if (at == table_.entries.end() || at->number != first_ + index)
      fail(name(index), fmt::format("is not in the pack (frame {} of {})", index, frames_));
    shard_.read(at->offset, at->bytes, bytes);
  }

 private:
  Shard shard_;
  std::string folder_;
  FrameNames names_;
  std::int64_t first_;
  Table table_;
  std::int64_t frames_;
};

}  // namespace

std::unique_ptr<FrameSource> open_packed_frames(const PackedFile& table, const std::string& folder,
                                                const FrameFolderOptions& options) {
  return std::make_unique<PictureSequence>(std::make_unique<PackedFrames>(table, folder, options),
                                           options.pictures);
}

FrameNumbers packed_frame_numbers(const PackedFile& table, const std::string& folder,
                                  const std::string& name_template) {
  const Shard shard(table.shard);
  return FrameNumbers(numbers_of(read_table(shard, table, folder, FrameNames(name_template))));
}

}  // namespace marey::media
