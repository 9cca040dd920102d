#include "text_log.hpp"

#include <marey/core/log.hpp>

#include <fmt/format.h>

namespace marey::hooks {

void TextLog::step_end(Run& run) {
  averages_.step(run);
  if (run.step_skipped || run.progress.step % p_.interval != 0) return;
  const std::int64_t per_epoch = std::max<std::int64_t>(1, run.progress.steps_per_epoch);
  const Summary s = averages_.take();
  std::string line = fmt::format("epoch {}/{} step {}/{}", run.epoch + 1, run.progress.max_epochs,
                                 (run.progress.step - 1) % per_epoch + 1, per_epoch);
  for (const auto& [name, mean] : s.means) line += fmt::format(" {} {:.4f}", name, mean);
  if (run.optimizer && !run.optimizer->groups().empty())
    line += fmt::format(" lr {:.4g}", run.optimizer->groups()[0].lr);
  for (const auto& [name, value] : extra_scalars(run)) line += fmt::format(" {} {:.4g}", name, value);
  if (s.clips_per_second > 0)
    line += fmt::format(" {:.1f} clips/s, {:.0f} % waiting for data", s.clips_per_second, 100 * s.data_share);
  log::info(line);
}

void TextLog::eval_end(Run& run) {
  if (run.metrics.empty()) return;  // broken off
  std::string line = fmt::format("epoch {}/{} evaluation", run.epoch + 1, run.progress.max_epochs);
  for (const auto& [name, value] : run.metrics) line += fmt::format(" {} {:.6g}", name, value);
  log::info(line);
}

}  // namespace marey::hooks
