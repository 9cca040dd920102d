#include "gradient_accumulation.hpp"

#include <algorithm>

namespace marey::hooks {

at::Tensor GradientAccumulation::map_loss(Run& run, at::Tensor loss) {
  const std::int64_t first = run.micro_in_epoch / p_.steps * p_.steps;
  const std::int64_t size = std::min(p_.steps, run.micro_per_epoch - first);
  return size > 1 ? loss.div(static_cast<double>(size)) : loss;
}

bool GradientAccumulation::step_due(const Run& run) {
  const std::int64_t done = run.micro_in_epoch + 1;
  return done % p_.steps == 0 || done >= run.micro_per_epoch;
}

}  // namespace marey::hooks
