// The text of the progress line.
#pragma once
#include <cstdint>
#include <string>

namespace marey::hooks {

struct ProgressState {
  std::int64_t epoch = 0, max_epochs = 1;            // epoch is 0-based
  std::int64_t micro_done = 0, micro_per_epoch = 1;  // in this epoch
  double loss = 0, lr = 0;
  double clips_per_second = 0;
  double seconds_per_micro_step = 0;
};

std::string duration_text(double seconds);  // "1:02:03", "2:03"; "?" where that makes no sense
// "epoch 3/30 [=====>     ] 45/100  loss 1.2345  lr 0.05  12.3 clips/s  2:05 left"
std::string progress_line(const ProgressState&);

}  // namespace marey::hooks
