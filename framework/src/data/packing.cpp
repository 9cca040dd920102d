#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/data/annotation_list.hpp>
#include <marey/data/frame_list.hpp>
#include <marey/data/packing.hpp>
#include <marey/media/frame_names.hpp>
#include <marey/media/pack.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace marey::data {
namespace fs = std::filesystem;
namespace {

struct Source {
  std::string name;  // as in the list
  fs::path path;
};

std::vector<std::string> names_in(const fs::path& list, const PackOptions& o) {
  std::vector<std::string> out;
  if (o.frames) {
    const auto rows = FrameList::parse(read_file(list), list.string(), {});
    for (std::size_t i = 0; i < rows.size(); ++i) out.emplace_back(rows.folder(i));
  } else {
    const auto rows = AnnotationList::read(list, {.delimiter = o.delimiter});
    for (std::size_t i = 0; i < rows.size(); ++i) out.emplace_back(rows.path(i));
  }
  return out;
}

std::vector<Source> sources_of(const PackOptions& o) {
  std::vector<Source> out;
  std::unordered_set<std::string> seen;
  for (const auto& list : o.lists) {
    const fs::path root = o.root.empty() ? list.parent_path() : o.root;
    for (auto& name : names_in(list, o))
      if (seen.insert(name).second) out.push_back({name, root / name});
  }
  return out;
}

void check_there(const std::vector<Source>& sources, bool folders) {
  constexpr std::size_t most_shown = 20;
  std::string text;
  std::size_t missing = 0;
  for (const auto& s : sources) {
    std::error_code ignored;
    if (folders ? fs::is_directory(s.path, ignored) : fs::is_regular_file(s.path, ignored)) continue;
    if (++missing <= most_shown) text += fmt::format("\n  {}", s.path.string());
  }
  if (missing == 0) return;
  if (missing > most_shown) text += fmt::format("\n  … and {} more", missing - most_shown);
  throw DataError(
      fmt::format("{} of {} {} are missing:{}\n  correct --root, or take the rows out of the list", missing,
                  sources.size(), folders ? "folders" : "files", text));
}

std::vector<media::PackWriter::Picture> pictures_of(const Source& s, const media::FrameNames& names) {
  const std::string own = s.path.filename().string();
  std::vector<std::pair<std::int64_t, std::string>> found;
  std::error_code problem;
  fs::directory_iterator entry(s.path, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
    std::string name = entry->path().filename().string();
    if (const auto number = names.number(name, own)) found.emplace_back(*number, std::move(name));
  }
  if (problem) throw DataError(fmt::format("{}: cannot be listed: {}", s.path.string(), problem.message()));
  if (found.empty())
    throw DataError(fmt::format("{}: holds no pictures called {}", s.path.string(), names.name(1, own)));
  std::ranges::sort(found);
  std::vector<media::PackWriter::Picture> out;
  for (auto& [number, name] : found) out.push_back({name, s.path / name});
  return out;
}

}  // namespace

PackReport pack_lists(const PackOptions& o, const std::function<void(std::size_t, std::size_t)>& progress) {
  const media::FrameNames names(o.name_template);
  const auto sources = sources_of(o);
  check_there(sources, o.frames);
  media::PackWriter writer(o.out, o.frames ? media::PackKind::frames : media::PackKind::videos,
                           o.shard_bytes);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (o.frames)
      writer.add_frames(sources[i].name, pictures_of(sources[i], names));
    else
      writer.add_video(sources[i].name, sources[i].path);
    if (progress) progress(i + 1, sources.size());
  }
  writer.finish();
  return {static_cast<std::int64_t>(sources.size()), writer.files(), writer.bytes(), writer.shards()};
}

}  // namespace marey::data
