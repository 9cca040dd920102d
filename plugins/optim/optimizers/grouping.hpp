// Which parameter is updated with which learning rate and weight decay.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/optimizer.hpp>

#include <torch/nn/module.h>

#include <map>
#include <string>
#include <vector>

namespace marey::optim {

// What one pattern changes for the parameters that it matches.
struct ParameterRule {
  double lr_mult = 1, decay_mult = 1;
  static Schema<ParameterRule> schema();
};

// Shared by all optimizers.
struct Grouping {
  double lr = 0.1;
  double weight_decay = 0;
  bool decay_norm_and_bias = true;
  std::map<std::string, ParameterRule> paramwise;
  static Schema<Grouping> schema();
  static std::string check(const Grouping&);
};

// A pattern with '*' or '?' must match the whole name; any other matches as a part of the name.
bool matches(const std::string& pattern, const std::string& name);

// One group for each distinct pair of learning rate and decay, in the order of the model's parameters.
// Parameters that want no gradient are left out; one that several modules share counts once, under its first
// name. Throws UsageError when a pattern matches no parameter, trained or not.
std::vector<ParamGroup> form_groups(const torch::nn::Module&, const Grouping&);

}  // namespace marey::optim
