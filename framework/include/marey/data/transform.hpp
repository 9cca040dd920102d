// A step of a pipeline. It changes frame indices, crops, sizes, flips and labels; pixels come after the last
// one.
#pragma once
#include <marey/core/random.hpp>
#include <marey/data/clip.hpp>

#include <string_view>

namespace marey {

class Transform {
 public:
  static constexpr std::string_view kind = "transform";
  virtual ~Transform() = default;
  // Called from several threads at once: const, and every draw comes from `random`, a pure function of
  // (seed, epoch, index). Throws DataError for a clip it cannot handle.
  virtual void apply(data::Clip&, Random& random) const = 0;
  // Told once, before any apply(), by the data set that owns the pipeline. Throws DataError when they do not
  // fit.
  virtual void prepare(const std::vector<std::string>& class_names) { (void)class_names; }
};

}  // namespace marey
