// Carries out the epochs and steps of a session and tells the hooks at each point.
#pragma once
#include "train/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace marey {

class TrainingLoop {
 public:
  // `should_end` is asked between steps: true saves a checkpoint and ends the run.
  TrainingLoop(Session& session, std::function<bool()> should_end)
      : s_(session), should_end_(std::move(should_end)) {}

  void run();
  std::int64_t steps_done() const {
    return steps_;
  }  // by this loop, not counting an earlier one that it resumes

 private:
  bool ended() const { return s_.run.stop || s_.run.interrupted; }
  void epoch();
  void train_epoch();
  void micro_step(data::Batch loaded);
  void step();
  void evaluate();
  void boundary();  // checkpoint, or the end
  void restore_generators(bool keep);
  [[noreturn]] void diverged(double loss) const;

  Session& s_;
  std::function<bool()> should_end_;
  std::int64_t steps_ = 0;
  bool seen_batch_ = false;
  // Of the micro-steps since the last step.
  at::Tensor window_loss_;
  std::int64_t window_ = 0;
  double window_seconds_ = 0;
  std::vector<std::string> window_sources_;
};

}  // namespace marey
