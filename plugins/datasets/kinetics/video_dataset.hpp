// Labelled video files from a list of `path label` rows; see marey/data/annotation_list.hpp for the rules of
// the list.
#pragma once
#include <marey/core/part.hpp>
#include <marey/core/schema.hpp>
#include <marey/data/annotation_list.hpp>
#include <marey/data/dataset.hpp>
#include <marey/data/video_index.hpp>
#include <marey/media/pack.hpp>

#include <atomic>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace marey::datasets {

class VideoDataset final : public Dataset {
 public:
  struct Params {
    FilePath annotations, data_root, class_names, pack, index;
    std::string delimiter = " ";
    std::optional<std::int64_t> num_classes;
    std::vector<Part<Transform>> pipeline;
    int decoder_threads = 1;
    bool allow_outside = false;
    std::int64_t max_pixels = 8192LL * 4608;
    double time_limit_seconds = 60;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit VideoDataset(const Params&);

  std::size_t size() const override { return list_.size(); }
  data::Sample sample(std::size_t index) const override;
  std::span<const std::shared_ptr<Transform>> pipeline() const override { return pipeline_; }
  std::int64_t num_classes() const override { return num_classes_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  std::unique_ptr<media::FrameSource> open(const data::Sample&) const override;
  std::unique_ptr<media::FrameSource> open_cancellable(const data::Sample&,
                                                       const std::function<bool()>& cancelled) const override;
  void check_files() const override;

 private:
  std::filesystem::path file(std::size_t index) const;
  std::vector<std::size_t> missing_from_pack() const;
  void load_index();
  void ask_index(std::size_t index) const;

  Params p_;
  std::vector<std::string> class_names_;
  data::AnnotationList list_;
  std::filesystem::path root_;
  std::optional<media::Pack> pack_;
  std::optional<data::VideoIndex> index_;
  mutable std::atomic<bool> told_of_stale_entries_{false};
  std::int64_t num_classes_ = 0;
  std::vector<std::shared_ptr<Transform>> pipeline_;
};

}  // namespace marey::datasets
