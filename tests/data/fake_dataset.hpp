// Videos that are formulas: no file, no decoder. Each can be told to fail.
#pragma once
#include <marey/data/dataset.hpp>
#include <marey/media/video_reader.hpp>

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace marey::test {

// What colour channel c of the pixel at (x, y) of a frame has.
inline std::uint8_t fake_pixel(std::size_t sample, std::int64_t frame, int x, int y, int c) {
  return static_cast<std::uint8_t>(sample * 37 + static_cast<std::size_t>(frame * 11 + x * 3 + y * 5 + c));
}

class FakeSource final : public media::FrameSource {
 public:
  FakeSource(std::size_t sample, media::VideoInfo info, bool fails)
      : sample_(sample), info_(info), fails_(fails) {}
  const media::VideoInfo& info() const override { return info_; }
  const media::ReadStats& stats() const override { return stats_; }
  void read(std::span<const media::FrameRequest> requests) override {
    if (fails_) throw media::MediaError(fmt::format("clip_{}.mp4: damaged at frame 3", sample_));
    for (const auto& r : requests) {
      std::uint8_t* p = r.pixels;
      const auto& g = r.geometry;
      for (int y = 0; y < g.out_height; ++y)
        for (int x = 0; x < g.out_width; ++x)
          for (int c = 0; c < 3; ++c)
            *p++ = fake_pixel(sample_, r.index, static_cast<int>(g.crop.x) + x,
                              static_cast<int>(g.crop.y) + y, c);
      ++stats_.converted;
    }
  }

 private:
  std::size_t sample_;
  media::VideoInfo info_;
  media::ReadStats stats_;
  bool fails_;
};

class FunctionTransform final : public Transform {
 public:
  using Function = std::function<void(data::Clip&, Random&)>;
  explicit FunctionTransform(Function f) : f_(std::move(f)) {}
  void apply(data::Clip& clip, Random& random) const override { f_(clip, random); }

 private:
  Function f_;
};

class FakeDataset final : public Dataset {
 public:
  explicit FakeDataset(std::size_t size) : size_(size) {}

  std::size_t size() const override { return size_; }
  data::Sample sample(std::size_t i) const override {
    return {
        .source = fmt::format("clip_{}.mp4", i), .labels = {static_cast<std::int64_t>(i % 5)}, .index = i};
  }
  std::span<const std::shared_ptr<Transform>> pipeline() const override { return pipeline_; }
  std::int64_t num_classes() const override { return 5; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::unique_ptr<media::FrameSource> open(const data::Sample& s) const override {
    return open_cancellable(s, [] { return false; });
  }
  std::unique_ptr<media::FrameSource> open_cancellable(
      const data::Sample& s, const std::function<bool()>& cancelled) const override {
    ++opened;
    if (on_open) on_open(s.index, cancelled);
    if (bad.contains(s.index)) throw media::MediaError(fmt::format("{}: no video stream", s.source));
    return std::make_unique<FakeSource>(s.index, info, bad_read.contains(s.index));
  }

  void add(FunctionTransform::Function f) {
    pipeline_.push_back(std::make_shared<FunctionTransform>(std::move(f)));
  }

  media::VideoInfo info{.frames = 20, .width = 12, .height = 8, .fps = 25};
  std::set<std::size_t> bad, bad_read;
  std::function<void(std::size_t, const std::function<bool()>&)> on_open;
  mutable std::atomic<int> opened = 0;

 private:
  std::size_t size_;
  std::vector<std::shared_ptr<Transform>> pipeline_;
  std::vector<std::string> names_;
};

// Two temporal clips of three frames from a drawn start, and two crops of 4x4 pixels.
inline std::shared_ptr<FakeDataset> fake_dataset(std::size_t size) {
  auto dataset = std::make_shared<FakeDataset>(size);
  dataset->add([](data::Clip& clip, Random& random) {
    const auto start = random.integer(0, clip.info.frames - 5);
    clip.frames = {{start, start + 1, start + 2}, {start + 2, start + 3, start + 4}};
    clip.crops = {{.crop = {1, 2, 4, 4}, .out_width = 4, .out_height = 4},
                  {.crop = {7, 3, 4, 4}, .out_width = 4, .out_height = 4}};
  });
  return dataset;
}

}  // namespace marey::test
