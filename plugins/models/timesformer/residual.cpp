#include "residual.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <vector>

namespace marey {

at::Tensor drop_path(const at::Tensor& x, std::int64_t dims, double rate, bool training) {
  if (!training || rate <= 0) return x;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  for (std::int64_t d = 0; d < dims; ++d) shape[static_cast<std::size_t>(d)] = x.size(d);
  at::Tensor kept = at::empty(shape, x.options().requires_grad(false)).bernoulli_(1 - rate);
  if (rate < 1) kept.div_(1 - rate);
  return x * kept;
}

at::Tensor add_rows(const at::Tensor& x, at::Tensor rows) {
  // Under autocast x is float and the rows are not: the sum stays float.
  if (rows.scalar_type() != x.scalar_type() || rows.is_view()) return x + rows.view(x.sizes());
  return rows.add_(x.reshape(rows.sizes())).view(x.sizes());
}

}  // namespace marey
