#include "media/tar.hpp"

#include <marey/core/files.hpp>
#include <marey/media/pack.hpp>

#include <fmt/format.h>

#include <fstream>
#include <unordered_set>

namespace marey::media {
namespace fs = std::filesystem;

struct PackWriter::Impl {
  Impl(fs::path f, PackKind kind, std::int64_t limit)
      : folder(std::move(f)),
        shard_limit(limit),
        index(fmt::format("marey-pack 1 {}\n", kind == PackKind::videos ? "videos" : "frames")) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) throw DataError(fmt::format("{}: cannot be made: {}", folder.string(), problem.message()));
    lock = FileLock(folder / ".pack.lock");
    if (fs::exists(folder / "pack.tsv"))
      throw DataError(
          fmt::format("{}: holds a pack already; take another folder, or remove it", folder.string()));
  }

  fs::path shard_file(std::int64_t number) const { return folder / fmt::format("shard-{:05}.tar", number); }

  [[noreturn]] void cannot_write() const {
    throw Error(
        fmt::format("{}: cannot be written; is the disk full?", shard_file(shard_count - 1).string()));
  }

  void put(std::string_view bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out) cannot_write();
    shard_bytes += static_cast<std::int64_t>(bytes.size());
  }

  void pad() {
    static const std::string zeros(static_cast<std::size_t>(tar_block), '\0');
    put(std::string_view(zeros).substr(0, static_cast<std::size_t>(tar_padded(shard_bytes) - shard_bytes)));
  }

  void begin_member() {
    if (out.is_open() && shard_bytes >= shard_limit) close_shard();
    if (out.is_open()) return;
    out.open(shard_file(shard_count++), std::ios::binary | std::ios::trunc);
    if (!out) cannot_write();
    shard_bytes = 0;
  }

  void close_shard() {
    put(std::string(2 * static_cast<std::size_t>(tar_block), '\0'));
    out.close();
    if (out.fail()) cannot_write();
    const fs::path file = shard_file(shard_count - 1);
    fsync_file(file);
    shard_rows += fmt::format("shard\t{}\t{}\n", shard_bytes, file.filename().string());
    closed_bytes += shard_bytes;
    shard_bytes = 0;
  }

  // The size was asked for before; a file that changes meanwhile would break the archive.
  void copy(const fs::path& file, std::int64_t bytes) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw DataError(fmt::format("{}: cannot be opened", file.string()));
    std::int64_t left = bytes;
    while (left > 0) {
      in.read(buffer.data(),
              static_cast<std::streamsize>(std::min(left, static_cast<std::int64_t>(buffer.size()))));
      if (in.gcount() <= 0)
        throw DataError(fmt::format("{}: became shorter while it was read", file.string()));
      put({buffer.data(), static_cast<std::size_t>(in.gcount())});
      left -= in.gcount();
    }
    if (in.peek() != std::ifstream::traits_type::eof())
      throw DataError(fmt::format("{}: became longer while it was read", file.string()));
    pad();
  }

  void note(std::int64_t offset, std::int64_t bytes, const std::string& name) {
    file_rows += fmt::format("file\t{}\t{}\t{}\t{}\n", shard_count - 1, offset, bytes, name);
  }

  fs::path folder;
  FileLock lock;
  std::int64_t shard_limit, shard_count = 0, shard_bytes = 0, closed_bytes = 0, files = 0;
  std::string index, shard_rows, file_rows;
  std::unordered_set<std::string> names;
  std::ofstream out;
  std::string buffer = std::string(1 << 20, '\0');
  bool finished = false;
};

namespace {

std::int64_t size_of(const fs::path& file) {
  std::error_code problem;
  const auto bytes = fs::file_size(file, problem);
  if (problem) throw DataError(fmt::format("{}: {}", file.string(), problem.message()));
  return static_cast<std::int64_t>(bytes);
}

void check_name(const std::string& name) {
  if (name.empty() || name.find('\n') != std::string::npos)
    throw DataError(fmt::format("'{}' cannot be the name of a packed file", name));
}

}  // namespace

PackWriter::PackWriter(fs::path folder, PackKind kind, std::int64_t shard_bytes)
    : impl_(std::make_unique<Impl>(std::move(folder), kind, shard_bytes)) {}

PackWriter::~PackWriter() {
  if (impl_->finished) return;
  impl_->out.close();
  std::error_code ignored;
  for (std::int64_t i = 0; i < impl_->shard_count; ++i) fs::remove(impl_->shard_file(i), ignored);
}

void PackWriter::add_video(const std::string& name, const fs::path& file) {
  Impl& m = *impl_;
  check_name(name);
  if (!m.names.insert(name).second) return;
  const std::int64_t bytes = size_of(file);
  m.begin_member();
  m.put(tar_header(name, bytes));
  m.note(m.shard_bytes, bytes, name);
  m.copy(file, bytes);
  ++m.files;
}

void PackWriter::add_frames(const std::string& name, const std::vector<Picture>& pictures) {
  Impl& m = *impl_;
  check_name(name);
  if (!m.names.insert(name).second) return;
  std::string table;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> headers;
  std::int64_t at = 0;  // from the end of the table
  for (const Picture& p : pictures) {
    sizes.push_back(size_of(p.file));
    headers.push_back(tar_header((fs::path(name) / p.name).string(), sizes.back()));
    at += static_cast<std::int64_t>(headers.back().size());
    table += fmt::format("{}\t{}\t{}\n", at, sizes.back(), p.name);
    at += tar_padded(sizes.back());
  }
  m.begin_member();
  m.put(tar_header((fs::path(name) / "frames.tsv").string(), static_cast<std::int64_t>(table.size())));
  m.note(m.shard_bytes, static_cast<std::int64_t>(table.size()), name);
  m.put(table);
  m.pad();
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    m.put(headers[i]);
    m.copy(pictures[i].file, sizes[i]);
    ++m.files;
  }
}

void PackWriter::finish() {
  Impl& m = *impl_;
  if (m.finished) return;
  if (m.shard_count == 0) throw DataError(fmt::format("{}: nothing was packed", m.folder.string()));
  m.close_shard();
  write_file_atomically(m.folder / "pack.tsv", m.index + m.shard_rows + m.file_rows + "end\n");
  m.finished = true;
}

std::int64_t PackWriter::files() const { return impl_->files; }
std::int64_t PackWriter::bytes() const { return impl_->closed_bytes + impl_->shard_bytes; }
std::int64_t PackWriter::shards() const { return impl_->shard_count; }

}  // namespace marey::media
