#include "progress.hpp"

#include "progress_line.hpp"

#include <marey/core/log.hpp>

namespace marey::hooks {

void Progress::micro_end(Run& run) {
  if (!log::is_terminal()) return;
  const double seconds = run.data_seconds + run.step_seconds;
  const double clips = run.batch ? static_cast<double>(run.batch->size()) : 0;
  constexpr double share = 0.05;  // of a new micro-step in the averages
  seconds_ = seconds_ == 0 ? seconds : seconds_ + share * (seconds - seconds_);
  clips_ = clips_ == 0 ? clips : clips_ + share * (clips - clips_);
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - drawn_).count() < p_.interval_seconds) return;
  drawn_ = now;
  ProgressState s{.epoch = run.epoch,
                  .max_epochs = run.progress.max_epochs,
                  .micro_done = run.micro_in_epoch + 1,
                  .micro_per_epoch = run.micro_per_epoch,
                  .clips_per_second = seconds_ > 0 ? clips_ / seconds_ : 0,
                  .seconds_per_micro_step = seconds_};
  if (run.output.loss.defined()) s.loss = run.output.loss.item<double>();
  if (run.optimizer && !run.optimizer->groups().empty()) s.lr = run.optimizer->groups()[0].lr;
  log::set_status_line(progress_line(s));
}

void Progress::eval_begin(Run&) { log::set_status_line("evaluating"); }
void Progress::eval_end(Run&) { log::set_status_line(""); }
void Progress::run_end(Run&) { log::set_status_line(""); }
void Progress::run_failed(Run&, const std::exception&) { log::set_status_line(""); }

}  // namespace marey::hooks
