#include "rawframe_dataset.hpp"

#include "classes.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/data/data_root.hpp>
#include <marey/data/pipeline.hpp>
#include <marey/media/frame_names.hpp>
#include <marey/media/picture_sequence.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace marey::datasets {
namespace {

std::string text_of(const std::string& path) {
  try {
    return read_file(path);
  } catch (const Error& e) {
    throw DataError(fmt::format("annotation list: {}", e.what()));
  }
}

}  // namespace

Schema<RawframeDataset::Params> RawframeDataset::schema() {
  return Schema<Params>{}
      .arg<&Params::annotations>(
          {.doc = "the list: one `folder frames label` row a line, as MMAction2 writes it; "
                  "folders may hold blanks",
           .required = true})
      .arg<&Params::data_root>(
          {.doc = "folder that relative paths of the list start at; by default the list's own"})
      .arg<&Params::pack>(
          {.doc = "folder made by `marey data pack --frames`: the list's folders are read from it, not "
                  "from data_root"})
      .arg<&Params::filename_tmpl>({.doc =
                                        "name of a frame: one number as %05d or {:05}; {folder} stands for "
                                        "the name of the frames' folder"})
      .arg<&Params::start_index>({.doc = "number of a folder's first frame", .min = 0, .max = 1000000000})
      .arg<&Params::with_offset>(
          {.doc = "rows are `folder offset frames label`: the clip starts that many frames into the folder"})
      .arg<&Params::allow_outside>({.doc = "the list may name what lies outside data_root"})
      .arg<&Params::num_classes>(
          {.doc = "labels must lie below; by default the count of class_names, else the greatest label "
                  "of the list + 1",
           .min = 1,
           .max = 1000000000})
      .arg<&Params::class_names>({.doc = "file of class names, one a line; the first is class 0"})
      .arg<&Params::fps>({.doc = "rate of the frames, for transforms that need time; 0: unknown",
                          .unit = "frames/s",
                          .min = 0,
                          .max = 1000})
      .arg<&Params::check>(
          {.doc = "what is looked for at the start: frames: every frame, by one listing of each "
                  "folder; folders: the folders alone, which is faster for many of them",
           .one_of = {"frames", "folders"}})
      .arg<&Params::pipeline>({.doc = "transforms, in order; one of them chooses frames", .required = true})
      .arg<&Params::max_pixels>({.doc = "greatest frame that is decoded", .unit = "pixels", .min = 1});
}

std::string RawframeDataset::check(const Params& p) {
  if (p.pipeline.empty())
    return "the pipeline is empty; it needs at least a transform that chooses frames, such as SampleFrames";
  try {
    const media::FrameNames names(p.filename_tmpl);
  } catch (const UsageError& e) {
    return fmt::format("filename_tmpl: {}", e.what());
  }
  return {};
}

RawframeDataset::RawframeDataset(const Params& p)
    : p_(p),
      class_names_(names_of(p.class_names, p.num_classes)),
      list_(data::FrameList::parse(
          text_of(p.annotations.path), p.annotations.path,
          {.with_offset = p.with_offset, .num_classes = known_classes(class_names_, p.num_classes)})),
      root_(p.data_root.empty() ? std::filesystem::path(p.annotations.path).parent_path()
                                : std::filesystem::path(p.data_root.path)),
      num_classes_(known_classes(class_names_, p.num_classes).value_or(list_.max_label() + 1)),
      pipeline_(data::make_pipeline(p.pipeline, class_names_)) {
  if (!p.pack.empty()) pack_.emplace(p.pack.path, media::PackKind::frames);
  for (const auto& warning : list_.warnings()) log::warning(warning);
  if (!p.allow_outside && !pack_)
    data::refuse_outside({.list = list_.name(),
                          .count = list_.size(),
                          .name = [this](std::size_t i) { return list_.folder(i); },
                          .line = [this](std::size_t i) { return std::int64_t{list_.row(i).line}; }},
                         root_);
}

std::filesystem::path RawframeDataset::folder(std::size_t index) const {
  return (pack_ ? pack_->folder() : root_) / list_.folder(index);
}

media::PackedFile RawframeDataset::packed(std::size_t index) const {
  const auto found = pack_->find(list_.folder(index));
  if (!found) throw media::MediaError(fmt::format("{}: is not in the pack", folder(index).string()));
  return *found;
}

data::Sample RawframeDataset::sample(std::size_t index) const {
  if (index >= list_.size())
    throw Error(fmt::format("{}: no sample {}; the list holds {}", list_.name(), index, list_.size()));
  data::Sample out{.source = folder(index).string(), .index = index};
  const auto labels = list_.labels(index);
  out.labels.assign(labels.begin(), labels.end());
  return out;
}

std::unique_ptr<media::FrameSource> RawframeDataset::open(const data::Sample& sample) const {
  return open_cancellable(sample, {});
}

std::unique_ptr<media::FrameSource> RawframeDataset::open_cancellable(
    const data::Sample& sample, const std::function<bool()>& cancelled) const {
  const auto& row = list_.row(sample.index);
  const media::FrameFolderOptions options{
      .name_template = p_.filename_tmpl,
      .first = p_.start_index + row.offset,
      .frames = row.frames,
      .pictures = {.fps = p_.fps, .max_pixels = p_.max_pixels, .cancelled = cancelled}};
  if (pack_)
    return media::open_packed_frames(packed(sample.index), std::string(list_.folder(sample.index)), options);
  return media::open_frame_folder(sample.source, options);
}

// Empty: all are there.
std::string RawframeDataset::missing_frames(const media::FrameNumbers& numbers, std::size_t index) const {
  const auto& row = list_.row(index);
  const std::int64_t first = p_.start_index + row.offset, have = numbers.between(first, first + row.frames);
  if (have >= row.frames) return {};
  return fmt::format("{} of {} frames are there, counted from {}", have, row.frames, first);
}

std::vector<std::pair<std::size_t, std::string>> RawframeDataset::problems_in_pack() const {
  std::vector<std::pair<std::size_t, std::string>> out;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const auto found = pack_->find(list_.folder(i));
    if (!found) {
      out.emplace_back(i, "not in the pack");
      continue;
    }
    if (p_.check == "folders") continue;
    const auto numbers = media::packed_frame_numbers(*found, std::string(list_.folder(i)), p_.filename_tmpl);
    if (auto missing = missing_frames(numbers, i); !missing.empty()) out.emplace_back(i, std::move(missing));
  }
  return out;
}

std::vector<std::pair<std::size_t, std::string>> RawframeDataset::problems_in_folders() const {
  std::map<std::string, std::vector<std::size_t>> rows_of;  // several rows may share a folder
  for (std::size_t i = 0; i < list_.size(); ++i) rows_of[folder(i).string()].push_back(i);
  std::vector<std::pair<std::size_t, std::string>> out;
  for (const auto& [path, rows] : rows_of) {
    std::error_code problem;
    if (!std::filesystem::is_directory(path, problem)) {
      for (const std::size_t i : rows) out.emplace_back(i, "no such folder");
      continue;
    }
    if (p_.check == "folders") continue;
    const media::FrameNumbers numbers(path, p_.filename_tmpl);
    for (const std::size_t i : rows)
      if (auto missing = missing_frames(numbers, i); !missing.empty())
        out.emplace_back(i, std::move(missing));
  }
  return out;
}

void RawframeDataset::check_files() const {
  constexpr std::size_t most_shown = 20;
  auto problems = pack_ ? problems_in_pack() : problems_in_folders();
  if (problems.empty()) return;
  std::ranges::sort(problems);
  std::string text =
      fmt::format("{}: {} of {} frame folders are missing or incomplete; paths start at {}", list_.name(),
                  problems.size(), list_.size(), (pack_ ? pack_->folder() : root_).string());
  for (std::size_t i = 0; i < std::min(problems.size(), most_shown); ++i)
    text += fmt::format("\n  {}:{}: {}: {}", list_.name(), list_.row(problems[i].first).line,
                        list_.folder(problems[i].first), problems[i].second);
  if (problems.size() > most_shown) text += fmt::format("\n  … and {} more", problems.size() - most_shown);
  throw DataError(
      text + (pack_
                  ? "\n  correct filename_tmpl or start_index, pack again, or take the rows out of the list"
                  : "\n  correct data_root, filename_tmpl or start_index, or take the rows out of the list"));
}

}  // namespace marey::datasets
