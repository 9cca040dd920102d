// Video files named on the command line, as a data set without labels.
#pragma once
#include <marey/data/dataset.hpp>
#include <marey/media/video_reader.hpp>

#include <string>
#include <utility>
#include <vector>

namespace marey::app {

class VideoFiles final : public Dataset {
 public:
  VideoFiles(std::vector<std::string> files, std::vector<std::shared_ptr<Transform>> pipeline)
      : files_(std::move(files)), pipeline_(std::move(pipeline)) {}

  std::size_t size() const override { return files_.size(); }
  data::Sample sample(std::size_t index) const override {
    return {.source = files_[index], .labels = {}, .index = index};
  }
  std::span<const std::shared_ptr<Transform>> pipeline() const override { return pipeline_; }
  std::int64_t num_classes() const override { return 0; }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  std::unique_ptr<media::FrameSource> open(const data::Sample& sample) const override {
    return std::make_unique<media::VideoReader>(sample.source);
  }

 private:
  std::vector<std::string> files_, no_names_;
  std::vector<std::shared_ptr<Transform>> pipeline_;
};

}  // namespace marey::app
