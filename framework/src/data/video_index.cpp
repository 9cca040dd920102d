#include "media/number_field.hpp"

#include <marey/core/files.hpp>
#include <marey/data/annotation_list.hpp>
#include <marey/data/parallel.hpp>
#include <marey/data/video_index.hpp>
#include <marey/media/video_reader.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <unordered_set>

namespace marey::data {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view first_line = "marey-index 1";

struct FileState {
  std::int64_t bytes = -1, changed_ns = 0;  // -1 bytes: there is no such file
};

FileState state_of(const fs::path& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return {};
  return {s.st_size, std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec};
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

bool take_double(std::string_view& row, double& out) {
  const auto field = media::take_field(row);
  const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), out);
  return !field.empty() && problem == std::errc{} && end == field.data() + field.size() && out >= 0 &&
         out < 1e12;
}

bool read_row(std::string_view row, IndexedVideo& v) {
  const auto bytes = media::take_number(row), changed = media::take_number(row),
             frames = media::take_number(row), keys = media::take_number(row),
             width = media::take_number(row), height = media::take_number(row);
  if (!bytes || !changed || !frames || !keys || !width || !height || *width > 1 << 20 || *height > 1 << 20)
    return false;
  v.bytes = *bytes;
  v.changed_ns = *changed;
  v.frames = *frames;
  v.key_frames = *keys;
  v.width = static_cast<int>(*width);
  v.height = static_cast<int>(*height);
  if (!take_double(row, v.fps) || !take_double(row, v.duration_seconds)) return false;
  v.codec = media::take_field(row);
  v.error = media::take_field(row);
  v.path = row;
  return !v.path.empty();
}

IndexedVideo scan(const std::string& path, const fs::path& file) {
  const FileState state = state_of(file);
  IndexedVideo v{
      .path = path, .bytes = std::max(std::int64_t{0}, state.bytes), .changed_ns = state.changed_ns};
  try {
    const media::VideoReader reader(file);
    const auto& info = reader.info();
    v.frames = info.frames;
    v.key_frames = info.key_frames;
    v.width = info.width;
    v.height = info.height;
    v.fps = info.fps;
    v.duration_seconds = info.duration_seconds;
    v.codec = info.codec;
  } catch (const Error& e) {
    v.error = one_line(e.what());
  }
  return v;
}

}  // namespace

VideoIndex::VideoIndex(std::vector<IndexedVideo> videos) : videos_(std::move(videos)) {
  rows_.reserve(videos_.size());
  for (std::size_t i = 0; i < videos_.size(); ++i) rows_.emplace(videos_[i].path, i);
}

VideoIndex VideoIndex::read(const fs::path& file) {
  try {
    return parse(read_file(file), file.string());
  } catch (const DataError&) {
    throw;
  } catch (const Error& e) {
    throw DataError(fmt::format("index: {}; marey data index LIST makes one", e.what()));
  }
}

VideoIndex VideoIndex::parse(std::string_view text, const std::string& name) {
  std::vector<IndexedVideo> videos;
  std::int64_t line = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    ++line;
    const std::string_view row = text.substr(0, end);
    const bool right =
        line == 1 ? row == first_line : end != std::string_view::npos && read_row(row, videos.emplace_back());
    if (!right)
      throw DataError(
          fmt::format("{}:{}: is no row of an index; make it anew with marey data index", name, line));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (line == 0) throw DataError(fmt::format("{}: is empty; make it anew with marey data index", name));
  return VideoIndex(std::move(videos));
}

void VideoIndex::write(const fs::path& file) const {
  std::string text(first_line);
  text += '\n';
  for (const auto& v : videos_)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", v.bytes, v.changed_ns, v.frames,
                        v.key_frames, v.width, v.height, v.fps, v.duration_seconds, v.codec, v.error, v.path);
  write_file_atomically(file, text);
}

const IndexedVideo* VideoIndex::find(std::string_view path) const {
  const auto at = rows_.find(path);
  return at == rows_.end() ? nullptr : &videos_[at->second];
}

fs::path index_file_of(const fs::path& list) { return list.string() + ".index.tsv"; }

bool is_current(const IndexedVideo& v, const fs::path& file) {
  const FileState state = state_of(file);
  return state.bytes == v.bytes && state.changed_ns == v.changed_ns;
}

IndexReport build_index(const IndexOptions& o,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto list = AnnotationList::read(o.list, {.delimiter = o.delimiter});
  const fs::path root = o.root.empty() ? o.list.parent_path() : o.root,
                 out = o.out.empty() ? index_file_of(o.list) : o.out;
  VideoIndex before;
  if (fs::exists(out)) before = VideoIndex::read(out);
  std::vector<IndexedVideo> videos;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (seen.insert(list.path(i)).second) videos.push_back({.path = std::string(list.path(i))});
  std::atomic<std::size_t> kept{0};
  for_each_parallel(
      videos.size(), o.jobs,
      [&](std::size_t i) {
        const fs::path file = root / videos[i].path;
        const IndexedVideo* known = before.find(videos[i].path);
        if (known && is_current(*known, file)) {
          videos[i] = *known;
          ++kept;
        } else {
          videos[i] = scan(videos[i].path, file);
        }
      },
      [&](std::size_t done) {
        if (progress) progress(done, videos.size());
      });
  IndexReport report{.kept = kept, .scanned = videos.size() - kept};
  for (const auto& v : videos) report.unreadable += !v.error.empty();
  report.index = VideoIndex(std::move(videos));
  report.index.write(out);
  return report;
}

}  // namespace marey::data
