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
  for (const auto& warning : list_.warnings()) log::warning(warning);
  if (!p.allow_outside)
    data::refuse_outside({.list = list_.name(),
                          .count = list_.size(),
                          .name = [this](std::size_t i) { return list_.path(i); },
                          .line = [this](std::size_t i) { return std::int64_t{list_.line(i)}; }},
                         root_);
}

std::filesystem::path VideoDataset::file(std::size_t index) const { return root_ / list_.path(index); }

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
  return std::make_unique<media::VideoReader>(sample.source, std::move(options));
}

void VideoDataset::check_files() const {
  constexpr std::size_t most_shown = 20;
  const auto missing = data::find_missing_files(list_.size(), [this](std::size_t i) { return file(i); });
  if (missing.indices.empty()) return;
  std::string text = fmt::format("{}: {} of {} files are missing; paths start at {}", list_.name(),
                                 missing.indices.size(), list_.size(), root_.string());
  for (std::size_t i = 0; i < std::min(missing.indices.size(), most_shown); ++i)
    text += fmt::format("\n  {}:{}: {}", list_.name(), list_.line(missing.indices[i]),
                        list_.path(missing.indices[i]));
  if (missing.indices.size() > most_shown)
    text += fmt::format("\n  … and {} more", missing.indices.size() - most_shown);
  for (std::size_t i = 0; i < std::min(missing.folder_problems.size(), most_shown); ++i)
    text += fmt::format("\n  {}", missing.folder_problems[i]);
  throw DataError(text + "\n  correct data_root, or take the rows out of the list");
}

}  // namespace marey::datasets
