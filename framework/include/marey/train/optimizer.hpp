// Updates parameters from their gradients.
#pragma once
#include <marey/train/state.hpp>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <string>
#include <string_view>
#include <vector>

namespace marey {

struct ParamGroup {
  std::vector<std::string> names;
  std::vector<at::Tensor> params;
  double base_lr = 0;  // of the recipe, times the group's multiplier
  double lr = 0;       // in force now; the schedule sets it
  double weight_decay = 0;
};

class Optimizer {
 public:
  static constexpr std::string_view kind = "optimizer";
  virtual ~Optimizer() = default;
  // Told once: takes every parameter of the model that wants a gradient and forms the groups.
  virtual void attach(const torch::nn::Module&) = 0;
  virtual void step() = 0;  // one update; parameters without a gradient are left alone
  virtual std::vector<ParamGroup>& groups() = 0;
  // Tensors are named "<parameter>.<slot>"; loading checks names and shapes and throws CheckpointError.
  virtual State save() const = 0;
  virtual void load(const State&) = 0;
};

}  // namespace marey
