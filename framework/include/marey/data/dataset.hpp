// An indexed collection of labelled videos with the pipeline that samples and crops them.
#pragma once
#include <marey/data/clip.hpp>
#include <marey/data/transform.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

class Dataset {
 public:
  static constexpr std::string_view kind = "dataset";
  virtual ~Dataset() = default;

  virtual std::size_t size() const = 0;
  virtual data::Sample sample(std::size_t index) const = 0;
  virtual std::span<const std::shared_ptr<Transform>> pipeline() const = 0;
  virtual std::int64_t num_classes() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;  // may be empty: unnamed
  virtual std::unique_ptr<media::FrameSource> open(const data::Sample&) const = 0;
  // The same for a caller who may lose interest: blocking work asks `cancelled` now and then, and throws when
  // it says so.
  virtual std::unique_ptr<media::FrameSource> open_cancellable(const data::Sample& sample,
                                                               const std::function<bool()>& cancelled) const {
    (void)cancelled;
    return open(sample);
  }
  // Lists every file that cannot be had, at the start. Throws DataError with counts and the first names.
  virtual void check_files() const {}
};

}  // namespace marey
