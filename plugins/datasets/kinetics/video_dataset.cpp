#include "video_dataset.hpp"

#include "classes.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/data/data_root.hpp>
#include <marey/data/missing_files.hpp>
#include <marey/data/pipeline.hpp>
#include <marey/media/video_reader.hpp>

#include <fmt/format.h>

namespace marey::datasets {
Schema<VideoDataset::Params> VideoDataset::schema() {
  return Schema<Params>{}
      .arg<&Params::annotations>(
          {.doc = "the list: one `path label` row a line; paths may hold blanks, and are quoted when "
                  "they hold the delimiter",
           .required = true})
      .arg<&Params::data_root>(
          {.doc = "folder that relative paths of the list start at; by default the list's own"})
      .arg<&Params::pack>(
          {.doc = "folder made by `marey data pack`: the list's files are read from it, not from "
                  "data_root"})
      .arg<&Params::index>(
          {.doc = "what `marey data index` wrote; by default LIST.index.tsv where it exists. A file "
                  "that it knows to be unreadable is not opened"})
      .arg<&Params::delimiter>({.doc = "between path and label; a blank stands for tabs as well"})
      .arg<&Params::allow_outside>({.doc = "the list may name what lies outside data_root"})
      .arg<&Params::num_classes>(
          {.doc = "labels must lie below; by default the count of class_names, else the greatest label "
                  "of the list + 1",
           .min = 1,
           .max = 1000000000})
      .arg<&Params::class_names>({.doc = "file of class names, one a line; the first is class 0"})
      .arg<&Params::pipeline>({.doc = "transforms, in order; one of them chooses frames", .required = true})
      .arg<&Params::decoder_threads>(
          {.doc = "threads of one decoder; the loader's threads fill the cores already", .min = 1, .max = 64})
      .arg<&Params::max_pixels>({.doc = "greatest frame that is decoded", .unit = "pixels", .min = 1})
      .arg<&Params::time_limit_seconds>(
          {.doc = "for opening a file, and for reading a clip of it", .unit = "s", .min = 0.001});
}

std::string VideoDataset::check(const Params& p) {
  if (p.pipeline.empty())
    return "the pipeline is empty; it needs at least a transform that chooses frames, such as SampleFrames";
  if (p.delimiter.empty() || p.delimiter.find_first_of("\r\n\"") != std::string::npos)
    return "the delimiter must not be empty, a quote or a line end";
  return {};
}

VideoDataset::VideoDataset(const Params& p)
    : p_(p),
      class_names_(names_of(p.class_names, p.num_classes)),
      list_(data::AnnotationList::read(
          p.annotations.path,
          {.delimiter = p.delimiter, .num_classes = known_classes(class_names_, p.num_classes)})),
      root_(p.data_root.empty() ? std::filesystem::path(p.annotations.path).parent_path()
                                : std::filesystem::path(p.data_root.path)),
      num_classes_(known_classes(class_names_, p.num_classes).value_or(list_.max_label() + 1)),
      pipeline_(data::make_pipeline(p.pipeline, class_names_)) {
  if (!p.pack.empty())
    pack_.emplace(p.pack.path, media::PackKind::videos);
  else
    load_index();
  for (const auto& warning : list_.warnings()) log::warning(warning);
  if (!p.allow_outside && !pack_)
    data::refuse_outside({.list = list_.name(),
                          .count = list_.size(),
                          .name = [this](std::size_t i) { return list_.path(i); },
                          .line = [this](std::size_t i) { return std::int64_t{list_.line(i)}; }},
                         root_);
}

std::filesystem::path VideoDataset::file(std::size_t index) const {
  return (pack_ ? pack_->folder() : root_) / list_.path(index);
}

data::Sample VideoDataset::sample(std::size_t index) const {
  if (index >= list_.size())
    throw Error(fmt::format("{}: no sample {}; the list holds {}", list_.name(), index, list_.size()));
  data::Sample out{.source = file(index).string(), .index = index};
  if (const auto label = list_.label(index); label >= 0) out.labels = {label};
  return out;
}

std::unique_ptr<media::FrameSource> VideoDataset::open(const data::Sample& sample) const {
  return open_cancellable(sample, {});
}

std::unique_ptr<media::FrameSource> VideoDataset::open_cancellable(
    const data::Sample& sample, const std::function<bool()>& cancelled) const {
  media::ReaderOptions options;
  options.threads = p_.decoder_threads;
  options.max_pixels = p_.max_pixels;
  options.time_limit_seconds = p_.time_limit_seconds;
  options.cancelled = cancelled;
  if (index_) ask_index(sample.index);
  if (!pack_) return std::make_unique<media::VideoReader>(sample.source, std::move(options));
  const auto found = pack_->find(list_.path(sample.index));
  if (!found) throw media::MediaError(fmt::format("{}: is not in the pack", sample.source));
  options.part = {found->offset, found->bytes, std::string(list_.path(sample.index))};
  return std::make_unique<media::VideoReader>(found->shard, std::move(options));
}

void VideoDataset::load_index() {
  const std::filesystem::path file =
      p_.index.empty() ? data::index_file_of(p_.annotations.path) : std::filesystem::path(p_.index.path);
  if (p_.index.empty() && !std::filesystem::exists(file)) return;
  index_ = data::VideoIndex::read(file);
  std::size_t unreadable = 0, unknown = 0;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const auto* entry = index_->find(list_.path(i));
    unknown += entry == nullptr;
    unreadable += entry && !entry->error.empty();
  }
  if (unreadable > 0)
    log::warning(fmt::format("{}: {} of {} files cannot be read, says {}; marey data check tells more",
                             list_.name(), unreadable, list_.size(), file.string()));
  if (unknown > 0)
    log::warning(fmt::format("{}: {} of {} files are not in {}; run marey data index {}", list_.name(),
                             unknown, list_.size(), file.string(), list_.name()));
}

// Throws what the index knows to be wrong with a file that has not changed since.
void VideoDataset::ask_index(std::size_t index) const {
  const auto* entry = index_->find(list_.path(index));
  if (!entry) return;
  if (!data::is_current(*entry, file(index))) {
    if (!told_of_stale_entries_.exchange(true))
      log::warning(fmt::format(
          "{}: has changed since the index was made, and others may have; run marey data index {}",
          file(index).string(), list_.name()));
    return;
  }
  if (!entry->error.empty()) throw media::MediaError(entry->error);
}

std::vector<std::size_t> VideoDataset::missing_from_pack() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (!pack_->find(list_.path(i))) out.push_back(i);
  return out;
}

void VideoDataset::check_files() const {
  constexpr std::size_t most_shown = 20;
  const auto missing =
      pack_ ? data::MissingFiles{missing_from_pack(), {}}
            : data::find_missing_files(list_.size(), [this](std::size_t i) { return file(i); });
  if (missing.indices.empty()) return;
  std::string text =
      fmt::format("{}: {} of {} files are missing; paths start at {}", list_.name(), missing.indices.size(),
                  list_.size(), (pack_ ? pack_->folder() : root_).string());
  for (std::size_t i = 0; i < std::min(missing.indices.size(), most_shown); ++i)
    text += fmt::format("\n  {}:{}: {}", list_.name(), list_.line(missing.indices[i]),
                        list_.path(missing.indices[i]));
  if (missing.indices.size() > most_shown)
    text += fmt::format("\n  … and {} more", missing.indices.size() - most_shown);
  for (std::size_t i = 0; i < std::min(missing.folder_problems.size(), most_shown); ++i)
    text += fmt::format("\n  {}", missing.folder_problems[i]);
  throw DataError(text + (pack_ ? "\n  pack again, or take the rows out of the list"
                                : "\n  correct data_root, or take the rows out of the list"));
}

}  // namespace marey::datasets
