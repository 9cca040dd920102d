// What the optimizers share: groups, the state of each parameter ("slots"), lists for fused updates.
#pragma once
#include "grouping.hpp"

#include <marey/train/optimizer.hpp>

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace marey::optim {

class GroupedOptimizer : public Optimizer {
 public:
  void attach(const torch::nn::Module&) override;
  void step() override;
  std::vector<ParamGroup>& groups() override { return groups_; }
  State save() const override;
  void load(const State&) override;

 protected:
  // `slot_names`: what a parameter keeps once it was updated, for example {"momentum_buffer"}.
  GroupedOptimizer(std::string type, Grouping grouping, std::vector<std::string> slot_names)
      : type_(std::move(type)), grouping_(std::move(grouping)), slot_names_(std::move(slot_names)) {}

  // Parameters of one group, device, type and age, as the fused kernels want them.
  struct Lists {
    std::vector<at::Tensor> params, grads;
    std::vector<std::vector<at::Tensor>> slots;  // by slot, then by parameter
    bool fresh = false;                          // this is the first update of these parameters
  };
  // The slots before the first update, in the order of slot_names.
  virtual std::vector<at::Tensor> new_slots(const at::Tensor& param) const = 0;
  virtual void update(const ParamGroup&, Lists&) = 0;

 private:
  std::vector<Lists> lists_of(std::size_t group);

  std::string type_;
  Grouping grouping_;
  std::vector<std::string> slot_names_;
  std::vector<ParamGroup> groups_;
  std::vector<std::vector<std::vector<at::Tensor>>>
      slots_;  // by group, parameter, slot; empty before the first update
};

}  // namespace marey::optim
