#include <marey/core/error.hpp>
#include <marey/core/registry.hpp>
#include <marey/data/geometry.hpp>
#include <marey/data/pipeline.hpp>

#include <fmt/format.h>

#include <exception>

namespace marey::data {
namespace {

// Adds to each exception who threw it.
class NamedTransform final : public Transform {
 public:
  NamedTransform(std::shared_ptr<Transform> inner, const Blueprint& b) : inner_(std::move(inner)) {
    who_ = fmt::format("{}{}{}", b.path, b.path.empty() ? "" : ": ", b.type());
    if (!b.component->plugin.empty()) who_ += fmt::format(" (plugin '{}')", b.component->plugin);
  }
  void apply(Clip& clip, Random& random) const override {
    named([&] { inner_->apply(clip, random); });
  }
  void prepare(const std::vector<std::string>& class_names) override {
    named([&] { inner_->prepare(class_names); });
  }

 private:
  template <class F>
  void named(F&& call) const {
    try {
      call();
    } catch (const UsageError& e) {
      throw UsageError(fmt::format("{}: {}", who_, e.what()));
    } catch (const DataError& e) {
      throw DataError(fmt::format("{}: {}", who_, e.what()));
    } catch (const Error& e) {
      throw Error(fmt::format("{}: {}", who_, e.what()), e.code());
    } catch (const std::exception& e) {
      throw Error(fmt::format("{}: {}", who_, e.what()));
    } catch (...) {
      throw Error(fmt::format("{}: threw something that is no std::exception", who_));
    }
  }

  std::shared_ptr<Transform> inner_;
  std::string who_;
};

void check_frames(const Clip& clip) {
  if (clip.length() == 0)
    throw UsageError("the pipeline chooses no frames; add a transform such as SampleFrames");
  for (const auto& frames : clip.frames) {
    if (frames.size() != clip.length())
      throw UsageError(fmt::format("the pipeline gives clips of {} and of {} frames; expected one length",
                                   clip.length(), frames.size()));
    for (const auto index : frames)
      if (index < 0 || index >= clip.info.frames)
        throw UsageError(
            fmt::format("the pipeline chooses frame {} of a video of {} frames", index, clip.info.frames));
  }
}

void check_crops(const Clip& clip) {
  if (clip.crops.empty()) throw UsageError("the pipeline leaves no crop of the frames");
  const auto& first = clip.crops.front();
  for (const auto& g : clip.crops) {
    if (g.out_width != first.out_width || g.out_height != first.out_height)
      throw UsageError(fmt::format("the pipeline gives crops of {}x{} and of {}x{} pixels; expected one size",
                                   first.out_width, first.out_height, g.out_width, g.out_height));
    constexpr double rounding = 1e-6;  // pixels; crops are products of doubles
    const bool inside = g.crop.x >= -rounding && g.crop.y >= -rounding &&
                        g.crop.x + g.crop.width <= clip.info.width + rounding &&
                        g.crop.y + g.crop.height <= clip.info.height + rounding;
    if (!inside || !(g.crop.width > 0) || !(g.crop.height > 0) || g.out_width < 1 || g.out_height < 1)
      throw UsageError(
          fmt::format("the pipeline gives a crop at ({}, {}) of {}x{} for {}x{} pixels, which a frame of "
                      "{}x{} does not hold",
                      g.crop.x, g.crop.y, g.crop.width, g.crop.height, g.out_width, g.out_height,
                      clip.info.width, clip.info.height));
  }
}

}  // namespace

std::vector<std::shared_ptr<Transform>> make_pipeline(const std::vector<Part<Transform>>& parts,
                                                      const std::vector<std::string>& class_names) {
  std::vector<std::shared_ptr<Transform>> out;
  for (const auto& part : parts) {
    out.push_back(std::make_shared<NamedTransform>(part.make(), part.blueprint()));
    out.back()->prepare(class_names);
  }
  return out;
}

Clip plan_clip(Sample sample, const media::VideoInfo& info,
               std::span<const std::shared_ptr<Transform>> pipeline, bool training, Random& random) {
  if (info.frames < 1 || info.width < 1 || info.height < 1)
    throw DataError(
        fmt::format("the video has {} frames of {}x{} pixels", info.frames, info.width, info.height));
  Clip clip;
  clip.labels = sample.labels;
  clip.sample = std::move(sample);
  clip.info = info;
  clip.training = training;
  clip.crops = {whole_frame(info)};
  for (const auto& transform : pipeline) transform->apply(clip, random);
  check_frames(clip);
  check_crops(clip);
  return clip;
}

}  // namespace marey::data
