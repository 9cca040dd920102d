#include <marey/core/files.hpp>
#include <marey/data/annotation_list.hpp>
#include <marey/data/list_check.hpp>
#include <marey/data/parallel.hpp>
#include <marey/media/probe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace marey::data {
namespace fs = std::filesystem;
namespace {

struct Row {
  std::size_t list;
  std::int64_t line;
  std::size_t file;  // in Files
};

struct File {
  fs::path path;
  std::string name;  // as in the list where it stands first
  std::size_t bytes = 0;
  std::string hash;  // of files whose size another file has, too
  std::int64_t frames = 0;
  bool bad = false;
  Trouble trouble = Trouble::missing;
  std::string what;
};

struct Content {
  std::vector<Row> rows;
  std::vector<File> files;
};

Content read_lists(const ListCheckOptions& o) {
  Content out;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t l = 0; l < o.lists.size(); ++l) {
    const auto list = AnnotationList::read(o.lists[l], {.delimiter = o.delimiter});
    const fs::path root = o.root.empty() ? o.lists[l].parent_path() : o.root;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const fs::path path = (root / list.path(i)).lexically_normal();
      const auto [at, added] = known.emplace(path.string(), out.files.size());
      if (added) out.files.push_back({.path = path, .name = std::string(list.path(i))});
      out.rows.push_back({l, list.line(i), at->second});
    }
  }
  return out;
}

void set_bad(File& f, Trouble trouble, std::string what) {
  f.bad = true;
  f.trouble = trouble;
  f.what = std::move(what);
}

void decode(File& f, std::int64_t min_frames) {
  std::error_code problem;
  if (!fs::exists(f.path, problem)) return set_bad(f, Trouble::missing, "no such file");
  if (fs::is_directory(f.path, problem)) return set_bad(f, Trouble::unreadable, "is a folder");
  f.bytes = fs::file_size(f.path, problem);
  if (problem) return set_bad(f, Trouble::unreadable, problem.message());
  if (f.bytes == 0) return set_bad(f, Trouble::empty, "0 bytes");
  try {
    const auto checked = media::check_video(f.path, {.time_limit_seconds = 3600});
    f.frames = checked.frames;
    if (checked.damage.any()) return set_bad(f, Trouble::damaged, checked.damage.words());
    if (checked.frames < min_frames)
      set_bad(f, Trouble::short_video,
              fmt::format("{} {}", checked.frames, checked.frames == 1 ? "frame" : "frames"));
  } catch (const Error& e) {
    std::string what = e.what();
    if (const std::string name = f.path.string() + ": "; what.starts_with(name)) what.erase(0, name.size());
    set_bad(f, Trouble::unreadable, std::move(what));
  }
}

void hash_equal_sizes(std::vector<File>& files, int jobs) {
  std::map<std::size_t, std::vector<std::size_t>> by_size;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].bytes > 0) by_size[files[i].bytes].push_back(i);
  std::vector<std::size_t> to_hash;
  for (const auto& [bytes, group] : by_size)
    if (group.size() > 1) to_hash.insert(to_hash.end(), group.begin(), group.end());
  for_each_parallel(to_hash.size(), jobs, [&](std::size_t i) {
    try {
      files[to_hash[i]].hash = xxh3_file(files[to_hash[i]].path);
    } catch (const Error&) {  // it was readable a moment ago; then no two are called the same
    }
  });
}

// Rows whose file, or its content, stood on an earlier row.
void find_repeats(const Content& c, const ListCheckOptions& o, std::vector<Finding>& out) {
  struct First {
    std::size_t list;
    std::int64_t line;
  };
  const auto place = [&](const First& f) { return fmt::format("{}:{}", o.lists[f.list].string(), f.line); };
  std::unordered_map<std::size_t, First> by_file;
  std::unordered_map<std::string, std::pair<First, std::size_t>> by_hash;
  for (const Row& row : c.rows) {
    const File& file = c.files[row.file];
    const auto trouble = [&](const First& f) {
      return f.list == row.list ? Trouble::duplicate : Trouble::leak;
    };
    const auto [same, first_time] = by_file.emplace(row.file, First{row.list, row.line});
    if (!first_time) {
      out.push_back(
          {row.list, row.line, file.name, trouble(same->second), "stands on " + place(same->second)});
      continue;
    }
    if (file.hash.empty()) continue;
    const auto [twin, alone] = by_hash.emplace(file.hash, std::pair(First{row.list, row.line}, row.file));
    if (alone) continue;
    const auto& [first, other] = twin->second;
    out.push_back({row.list, row.line, file.name, trouble(first),
                   fmt::format("has the same bytes as {} on {}", c.files[other].name, place(first))});
  }
}

}  // namespace

std::string_view name_of(Trouble t) {
  switch (t) {
    case Trouble::missing:
      return "missing";
    case Trouble::empty:
      return "empty";
    case Trouble::unreadable:
      return "unreadable";
    case Trouble::damaged:
      return "damaged";
    case Trouble::short_video:
      return "short";
    case Trouble::duplicate:
      return "duplicate";
    case Trouble::leak:
      return "leak";
  }
  return "";
}

ListCheckReport check_lists(const ListCheckOptions& o,
                            const std::function<void(std::size_t, std::size_t)>& progress) {
  Content c = read_lists(o);
  for_each_parallel(
      c.files.size(), o.jobs, [&](std::size_t i) { decode(c.files[i], o.min_frames); },
      [&](std::size_t done) {
        if (progress) progress(done, c.files.size());
      });
  hash_equal_sizes(c.files, o.jobs);
  ListCheckReport report{.rows = c.rows.size(), .files = c.files.size()};
  for (const File& f : c.files) report.frames += f.frames;
  for (const Row& row : c.rows)
    if (const File& f = c.files[row.file]; f.bad)
      report.findings.push_back({row.list, row.line, f.name, f.trouble, f.what});
  find_repeats(c, o, report.findings);
  std::ranges::stable_sort(report.findings, {}, [](const Finding& f) { return std::tuple(f.list, f.line); });
  return report;
}

std::string without_lines(std::string_view text, const std::vector<std::int64_t>& lines) {
  const std::set<std::int64_t> out_lines(lines.begin(), lines.end());
  std::string out;
  for (std::int64_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!out_lines.contains(line)) out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace marey::data
