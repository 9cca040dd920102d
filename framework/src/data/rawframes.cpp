#include "data/rawframes_video.hpp"

#include <marey/core/files.hpp>
#include <marey/data/parallel.hpp>
#include <marey/data/rawframes.hpp>
#include <marey/media/picture_sequence.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace marey::data {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

bool is_video(const fs::path& file) {
  static const std::set<std::string> known{".mp4",  ".avi", ".mkv", ".webm", ".mov", ".m4v", ".mpg",
                                           ".mpeg", ".wmv", ".flv", ".3gp",  ".ts",  ".gif"};
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return known.contains(extension);
}

std::vector<fs::path> entries(const fs::path& folder, bool folders) {
  std::vector<fs::path> out;
  std::error_code problem;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
    std::error_code ignored;
    const fs::path name = entry->path().filename();
    if (name.string().starts_with('.')) continue;
    if (folders ? entry->is_directory(ignored) : entry->is_regular_file(ignored) && is_video(name))
      out.push_back(name);
  }
  if (problem) throw DataError(fmt::format("{}: cannot be listed: {}", folder.string(), problem.message()));
  std::ranges::sort(out);
  return out;
}

std::vector<RawframesVideo> find_videos(const RawframesOptions& o) {
  std::vector<RawframesVideo> out;
  const auto add = [&](const fs::path& below) {
    for (const auto& name : entries(o.source / below, false))
      out.push_back({.video = (below / name).string(), .folder = (below / name.stem()).string()});
  };
  if (o.level == 1) add({});
  if (o.level == 2)
    for (const auto& group : entries(o.source, true)) add(group);
  if (out.empty())
    throw DataError(
        fmt::format("{}: no videos at level {}; level 1 is SOURCE/VIDEO, level 2 is SOURCE/CLASS/VIDEO",
                    o.source.string(), o.level));
  std::map<std::string, std::string> owner;
  for (const auto& v : out)
    if (const auto [at, added] = owner.emplace(v.folder, v.video); !added)
      throw DataError(fmt::format("{} and {} would both be written to {}; rename one of them", at->second,
                                  v.video, (o.out / v.folder).string()));
  return out;
}

Json options_of(const RawframesOptions& o) {
  return {{"level", o.level},           {"fps", o.fps},
          {"new_short", o.new_short},   {"new_width", o.new_width},
          {"new_height", o.new_height}, {"ext", o.format.extension},
          {"quality", o.format.quality}};
}

void check_options(const RawframesOptions& o) {
  const fs::path file = o.out / "rawframes.json";
  if (!fs::exists(file)) return;
  Json before;
  try {
    before = Json::parse(read_file(file)).at("options");
  } catch (const nlohmann::json::exception& e) {
    throw DataError(fmt::format("{}: cannot be understood: {}", file.string(), e.what()));
  }
  const Json now = options_of(o);
  for (const auto& [key, value] : now.items())
    if (!before.contains(key) || before[key] != value)
      throw DataError(
          fmt::format("{}: was begun with {} {}, now it is {}; take the same options, or another folder",
                      o.out.string(), key, before.value(key, Json()).dump(), value.dump()));
}

void write_report(const RawframesOptions& o, const RawframesReport& report, bool complete) {
  Json videos = Json::array();
  for (const auto& v : report.videos) {
    if (!complete) break;
    Json row{{"video", v.video}, {"folder", v.folder}, {"frames", v.frames}};
    row["state"] = !v.error.empty() ? "failed" : v.kept ? "kept" : "written";
    if (!v.error.empty()) row["error"] = v.error;
    videos.push_back(std::move(row));
  }
  const Json all{{"source", o.source.string()}, {"options", options_of(o)}, {"complete", complete},
                 {"written", report.written},   {"kept", report.kept},      {"failed", report.failed},
                 {"videos", std::move(videos)}};
  write_file_atomically(o.out / "rawframes.json",
                        all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::string quoted(const std::string& folder) {
  std::string out = "\"";
  for (const char c : folder) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

void write_list(const RawframesOptions& o, const RawframesReport& report) {
  std::map<std::string, std::size_t> labels;
  std::string list, names;
  if (o.level == 2) {
    for (const auto& v : report.videos) labels.emplace(fs::path(v.folder).parent_path().string(), 0);
    std::size_t next = 0;
    for (auto& [name, label] : labels) {
      label = next++;
      names += name + "\n";
    }
    write_file_atomically(o.out / "classes.txt", names);
  }
  for (const auto& v : report.videos) {
    if (!v.error.empty()) continue;
    list += fmt::format("{} {}",
                        v.folder.find_first_of(" \t\"") == std::string::npos ? v.folder : quoted(v.folder),
                        v.frames);
    if (o.level == 2) list += fmt::format(" {}", labels.at(fs::path(v.folder).parent_path().string()));
    list += '\n';
  }
  write_file_atomically(o.out / "frames.txt", list);
}

void do_video(const RawframesOptions& o, RawframesVideo& v) {
  const fs::path folder = o.out / v.folder;
  try {
    if (fs::exists(folder)) {
      v.frames = media::FrameNumbers(folder, "img_%05d." + o.format.extension).run_from(1);
      v.kept = v.frames > 0;
      if (!v.kept) v.error = fmt::format("{}: is there, but holds no frames; remove it", folder.string());
      return;
    }
    v.frames = write_rawframes(o.source / v.video, folder, o);
  } catch (const std::exception& e) {
    v.error = e.what();
  }
}

}  // namespace

RawframesReport build_rawframes(const RawframesOptions& o,
                                const std::function<void(std::size_t, std::size_t)>& progress) {
  media::PictureWriter(o.format, 16, 16);  // refuses a format at once
  RawframesReport report{.videos = find_videos(o)};
  std::error_code problem;
  fs::create_directories(o.out, problem);
  if (problem) throw DataError(fmt::format("{}: cannot be made: {}", o.out.string(), problem.message()));
  const FileLock lock(o.out / ".rawframes.lock");
  if (!o.resume)
    for (const auto& v : report.videos)
      if (fs::exists(o.out / v.folder))
        throw DataError(fmt::format("{} is there already; --resume keeps what is complete and goes on",
                                    (o.out / v.folder).string()));
  check_options(o);
  write_report(o, report, false);

  for_each_parallel(
      report.videos.size(), std::max(1, o.jobs), [&](std::size_t i) { do_video(o, report.videos[i]); },
      [&](std::size_t done) {
        if (progress) progress(done, report.videos.size());
      });
  for (const auto& v : report.videos)
    ++(!v.error.empty() ? report.failed : v.kept ? report.kept : report.written);
  write_report(o, report, true);
  write_list(o, report);
  return report;
}

}  // namespace marey::data
