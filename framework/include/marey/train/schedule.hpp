// The learning rate over a run.
#pragma once
#include <cstdint>
#include <string_view>

namespace marey {

struct Progress {
  std::int64_t step = 0;  // optimizer steps done
  std::int64_t steps_per_epoch = 1;
  std::int64_t max_epochs = 1;
  double epoch() const {
    return static_cast<double>(step) / static_cast<double>(steps_per_epoch);
  }  // fractional
  std::int64_t total_steps() const { return steps_per_epoch * max_epochs; }
};

class Schedule {
 public:
  static constexpr std::string_view kind = "schedule";
  virtual ~Schedule() = default;
  // The factor on every group's base_lr for the step that comes next. A pure function, so a resume needs no
  // state.
  virtual double factor(const Progress&) const = 0;
};

}  // namespace marey
