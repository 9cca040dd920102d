#include "progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace marey::hooks {

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return "?";
  const auto s = static_cast<std::int64_t>(std::llround(seconds));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string progress_line(const ProgressState& p) {
  constexpr std::int64_t width = 20;
  const std::int64_t total = std::max<std::int64_t>(1, p.micro_per_epoch);
  const std::int64_t done = std::clamp<std::int64_t>(p.micro_done, 0, total);
  const auto filled = static_cast<std::size_t>(width * done / total);
  std::string bar(filled, '=');
  if (filled < width) bar += '>' + std::string(width - filled - 1, ' ');
  const std::int64_t left = total - done + total * std::max<std::int64_t>(0, p.max_epochs - p.epoch - 1);
  return fmt::format("epoch {}/{} [{}] {}/{}  loss {:.4f}  lr {:.4g}  {:.1f} clips/s  {} left", p.epoch + 1,
                     p.max_epochs, bar, done, total, p.loss, p.lr, p.clips_per_second,
                     duration_text(static_cast<double>(left) * p.seconds_per_micro_step));
}

}  // namespace marey::hooks
