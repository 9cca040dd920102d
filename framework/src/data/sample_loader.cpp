#include "data/sample_loader.hpp"

#include <marey/core/error.hpp>
#include <marey/data/pipeline.hpp>

#include <fmt/format.h>

#include <exception>

namespace marey::data {
namespace {

// Messages of a reader name the file already, those of a transform do not.
std::string with_source(const std::string& source, const std::string& message) {
  return message.find(source) == std::string::npos ? fmt::format("{}: {}", source, message) : message;
}

std::int64_t single_label(const Clip& clip) {
  if (clip.labels.size() > 1)
    throw UsageError(fmt::format("{} labels; batches hold one label a sample", clip.labels.size()));
  return clip.labels.empty() ? -1 : clip.labels.front();
}

// View = clip * crops + crop; one picture after the other in [V, T, H, W, C].
std::vector<media::FrameRequest> requests(const Clip& clip, std::uint8_t* pixels) {
  std::vector<media::FrameRequest> out;
  out.reserve(clip.views() * clip.length());
  for (const auto& frames : clip.frames)
    for (const auto& crop : clip.crops)
      for (const auto index : frames) {
        out.push_back({.index = index, .geometry = crop, .pixels = pixels});
        pixels += static_cast<std::ptrdiff_t>(crop.out_width) * crop.out_height * 3;
      }
  return out;
}

}  // namespace

LoadedRow SampleLoader::fill(Sample sample, Random random, std::int64_t row, BatchMemory& memory,
                             const std::function<bool()>& cancelled) const {
  const auto source = dataset_.open_cancellable(sample, cancelled);
  LoadedRow out{.index = sample.index, .source = sample.source};
  const Clip clip =
      plan_clip(std::move(sample), source->info(), dataset_.pipeline(), options_.training, random);
  out.label = single_label(clip);
  const auto& crop = clip.crops.front();
  out.shape = {.views = static_cast<std::int64_t>(clip.views()),
               .length = static_cast<std::int64_t>(clip.length()),
               .height = crop.out_height,
               .width = crop.out_width};
  // Of another shape than its batch: next() reports it, with both samples.
  if (std::uint8_t* pixels = memory.row(row, out.shape)) source->read(requests(clip, pixels));
  return out;
}

RowResult SampleLoader::load(std::uint64_t epoch, std::size_t index, std::int64_t row, BatchMemory& memory,
                             const std::function<bool()>& cancelled) const {
  const std::size_t allowed = most_bad(dataset_.size(), options_.max_bad_fraction);
  RowResult result;
  for (std::size_t tried = 0; tried < dataset_.size() && !cancelled(); ++tried) {
    const std::size_t candidate = (index + tried) % dataset_.size();
    std::string name = fmt::format("sample {}", candidate);
    try {
      Sample sample = dataset_.sample(candidate);
      sample.index = candidate;
      name = sample.source;
      // The key is the index asked for, so that a stand-in does not show the clip that its own turn shows.
      result.row = fill(std::move(sample), Random(options_.seed, epoch, index), row, memory, cancelled);
      return result;
    } catch (const DataError& e) {
      const std::string reason = with_source(name, e.what());
      if (options_.on_error == BadFilePolicy::fail)
        throw DataError(options_.advice.empty() ? reason : fmt::format("{}\n  {}", reason, options_.advice));
      result.bad.push_back({candidate, name, reason});
      // No stand-in while evaluating, where it would count a video twice; and none once too many are bad.
      if (!options_.training || result.bad.size() > allowed) return result;
    } catch (const UsageError& e) {
      throw UsageError(with_source(name, e.what()));
    } catch (const Error& e) {
      throw Error(with_source(name, e.what()), e.code());
    } catch (const std::exception& e) {
      throw Error(with_source(name, e.what()));
    }
  }
  return result;
}

}  // namespace marey::data
