// Videos as folders of numbered pictures, from a list; see marey/data/frame_list.hpp for its rules.
#pragma once
#include <marey/core/part.hpp>
#include <marey/core/schema.hpp>
#include <marey/data/dataset.hpp>
#include <marey/data/frame_list.hpp>
#include <marey/media/pack.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace marey::datasets {

class RawframeDataset final : public Dataset {
 public:
  struct Params {
    FilePath annotations, data_root, class_names, pack;
    std::string filename_tmpl = "img_{:05}.jpg";
    std::int64_t start_index = 1;
    bool with_offset = false;
    std::optional<std::int64_t> num_classes;
    double fps = 0;
    std::string check = "frames";
    std::vector<Part<Transform>> pipeline;
    bool allow_outside = false;
    std::int64_t max_pixels = 8192LL * 4608;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit RawframeDataset(const Params&);

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
  std::filesystem::path folder(std::size_t index) const;
  media::PackedFile packed(std::size_t index) const;
  std::vector<std::pair<std::size_t, std::string>> problems_in_pack() const;
  std::vector<std::pair<std::size_t, std::string>> problems_in_folders() const;
  std::string missing_frames(const media::FrameNumbers&, std::size_t index) const;

  Params p_;
  std::vector<std::string> class_names_;
  data::FrameList list_;
  std::filesystem::path root_;
  std::optional<media::Pack> pack_;
  std::int64_t num_classes_ = 0;
  std::vector<std::shared_ptr<Transform>> pipeline_;
};

}  // namespace marey::datasets
