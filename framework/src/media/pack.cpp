#include "media/number_field.hpp"

#include <marey/core/files.hpp>
#include <marey/media/pack.hpp>

#include <fmt/format.h>

namespace marey::media {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view first_line_begins = "marey-pack 1 ";

std::string_view kind_name(PackKind kind) { return kind == PackKind::videos ? "videos" : "frames"; }

}  // namespace

Pack::Pack(const fs::path& folder, PackKind kind) : folder_(folder) {
  const fs::path index = folder / "pack.tsv";
  std::error_code ignored;
  if (!fs::exists(index, ignored))
    throw DataError(
        fmt::format("{}: holds no pack.tsv; marey data pack makes one, and writes it last", folder.string()));
  text_ = std::make_unique<std::string>(read_file(index));
  read(kind);
  check_shards();
}

Pack Pack::parse(std::string text, fs::path folder, PackKind kind) {
  Pack out;
  out.folder_ = std::move(folder);
  out.text_ = std::make_unique<std::string>(std::move(text));
  out.read(kind);
  return out;
}

void Pack::read(PackKind kind) {
  const std::string file = (folder_ / "pack.tsv").string();
  std::string_view rest = *text_;
  std::int64_t line = 0;
  const auto wrong = [&](std::string_view what) {
    throw DataError(fmt::format("{}:{}: {}; pack again", file, line, what));
  };
  bool ended = false;
  while (!rest.empty()) {
    ++line;
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) wrong("the last line is cut short");
    std::string_view row = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (ended) wrong("there is more after the last line");
    if (line == 1) {
      if (!row.starts_with(first_line_begins)) wrong("expected 'marey-pack 1 …'");
      row.remove_prefix(first_line_begins.size());
      if (row != kind_name(kind))
        throw DataError(
            fmt::format("{}: is a pack of {}; expected one of {}", folder_.string(), row, kind_name(kind)));
      continue;
    }
    const std::string_view word = take_field(row);
    if (word == "end") {
      ended = true;
    } else if (word == "shard") {
      const auto bytes = take_number(row);
      if (!bytes || row.empty() || row.find('/') != std::string_view::npos || row == "." || row == "..")
        wrong("expected shard, bytes, name");
      shards_.push_back({std::string(row), *bytes});
    } else if (word == "file") {
      const auto shard = take_number(row), offset = take_number(row), bytes = take_number(row);
      if (!shard || !offset || !bytes || row.empty()) wrong("expected file, shard, offset, bytes, name");
      const auto at = static_cast<std::size_t>(*shard);
      if (at >= shards_.size()) wrong(fmt::format("there is no shard {}", *shard));
      if (*offset > shards_[at].bytes || *bytes > shards_[at].bytes - *offset)
        wrong(fmt::format("'{}' lies outside its shard", row));
      if (!rows_.emplace(row, Row{at, *offset, *bytes}).second)
        wrong(fmt::format("'{}' is there twice", row));
    } else {
      wrong("expected shard, file or end");
    }
  }
  if (!ended) throw DataError(fmt::format("{}: is cut short; pack again", file));
}

void Pack::check_shards() const {
  for (const Shard& shard : shards_) {
    std::error_code problem;
    const auto bytes = fs::file_size(folder_ / shard.name, problem);
    if (problem) throw DataError(fmt::format("{}: {}", (folder_ / shard.name).string(), problem.message()));
    if (static_cast<std::int64_t>(bytes) != shard.bytes)
      throw DataError(fmt::format("{}: holds {} bytes, {} when it was packed; copy it again, or pack again",
                                  (folder_ / shard.name).string(), bytes, shard.bytes));
  }
}

std::optional<PackedFile> Pack::find(std::string_view name) const {
  const auto at = rows_.find(name);
  if (at == rows_.end()) return {};
  return PackedFile{folder_ / shards_[at->second.shard].name, at->second.offset, at->second.bytes};
}

}  // namespace marey::media
