// Compares scores with labels.
#pragma once
#include <ATen/core/Tensor.h>

#include <string_view>

namespace marey {

class Loss {
 public:
  static constexpr std::string_view kind = "loss";
  virtual ~Loss() = default;
  // logits [N, K] float; labels int64 [N] (hard) or float [N, K] (soft). Returns a scalar: the mean over the
  // batch.
  virtual at::Tensor forward(const at::Tensor& logits, const at::Tensor& labels) const = 0;
};

}  // namespace marey
