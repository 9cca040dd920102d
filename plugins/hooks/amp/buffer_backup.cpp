#include "buffer_backup.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/empty_like.h>

namespace marey::hooks {

void BufferBackup::keep(const torch::nn::Module& model) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> buffers = model.buffers();
  std::erase_if(buffers, [](const at::Tensor& b) { return !b.defined(); });
  if (buffers.empty()) return;
  const bool same =
      buffers.size() == buffers_.size() &&
      std::equal(buffers.begin(), buffers.end(), copies_.begin(), [](const auto& b, const auto& c) {
        return b.sizes() == c.sizes() && b.scalar_type() == c.scalar_type() && b.device() == c.device();
      });
  if (!same) {
    copies_.clear();
    for (const at::Tensor& b : buffers) copies_.push_back(at::empty_like(b));
  }
  buffers_ = std::move(buffers);
  at::_foreach_copy_(copies_, buffers_);
}

void BufferBackup::restore() const {
  const at::NoGradGuard no_grad;
  if (!buffers_.empty()) at::_foreach_copy_(buffers_, copies_);
}

}  // namespace marey::hooks
