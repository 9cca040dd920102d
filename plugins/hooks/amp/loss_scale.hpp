// The factor that keeps small float16 gradients from vanishing.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace marey::hooks {

class LossScale {
 public:
  struct Rule {
    bool dynamic = true;
    double initial = 65536, growth = 2, backoff = 0.5;
    std::int64_t growth_interval = 2000;
  };
  explicit LossScale(Rule rule) : rule_(rule) {}

  void to(c10::Device);
  at::Tensor apply(const at::Tensor& loss) const;          // loss × scale, in float32
  bool unscale(const std::vector<at::Tensor>& gradients);  // in place; true: one of them is not finite
  // After the step: a dynamic scale shrinks when gradients were not finite, and grows after growth_interval
  // good steps.
  void update(bool overflowed);

  double value() const;
  std::int64_t good_steps() const;  // since the last growth or overflow
  void set(double value, std::int64_t good_steps);

 private:
  Rule rule_;
  at::Tensor scale_, good_steps_;  // float32 and int32 [1], on the gradients' device
};

}  // namespace marey::hooks
