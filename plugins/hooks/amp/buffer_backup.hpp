// A forward pass that overflows leaves traces in running statistics. This takes them back.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <vector>

namespace marey::hooks {

class BufferBackup {
 public:
  void keep(const torch::nn::Module&);
  void restore() const;

 private:
  std::vector<at::Tensor> buffers_, copies_;
};

}  // namespace marey::hooks
