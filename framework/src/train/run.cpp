#include <marey/train/run.hpp>

namespace marey {

std::vector<at::Tensor> Run::gradients() const {
  std::vector<at::Tensor> out;
  if (!optimizer) return out;
  for (const ParamGroup& group : optimizer->groups())
    for (const at::Tensor& param : group.params)
      if (param.grad().defined()) out.push_back(param.grad());
  return out;
}

}  // namespace marey
