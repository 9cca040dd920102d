#include "grouping.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/core/error.hpp>

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <utility>

namespace marey::optim {

Schema<ParameterRule> ParameterRule::schema() {
  return Schema<ParameterRule>{}
      .arg<&ParameterRule::lr_mult>({.doc = "times the learning rate", .min = 0})
      .arg<&ParameterRule::decay_mult>({.doc = "times the weight decay", .min = 0});
}

Schema<Grouping> Grouping::schema() {
  return Schema<Grouping>{}
      .arg<&Grouping::lr>({.doc = "learning rate before the schedule's factor", .min = 0, .required = true})
      .arg<&Grouping::weight_decay>({.doc = "weight decay", .min = 0})
      .arg<&Grouping::decay_norm_and_bias>({.doc = "decay parameters of one dimension too (biases, weights "
                                                   "of norms); MMAction2 does, PySlowFast does not"})
      .arg<&Grouping::paramwise>(
          {.doc = "changes by name: each key is a part of parameter names, or a pattern with * and ? for "
                  "whole names; "
                  "of several that match, the longest wins and overrides decay_norm_and_bias"});
}

std::string Grouping::check(const Grouping& g) {
  for (const auto& [pattern, rule] : g.paramwise)
    if (pattern.empty())
      return "paramwise: an empty pattern; expected a part of a parameter's name, or \"*\" for all";
  return {};
}

bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.find_first_of("*?") == std::string::npos) return name.find(pattern) != std::string::npos;
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

namespace {

using Rules = std::map<std::string, ParameterRule>;

// The longest pattern that matches; of equally long ones the first in the alphabet. Null: none.
const Rules::value_type* rule_for(const Rules& rules, const std::string& name, std::set<std::string>& used) {
  const Rules::value_type* best = nullptr;
  for (const auto& rule : rules) {
    if (!matches(rule.first, name)) continue;
    used.insert(rule.first);
    if (!best || rule.first.size() > best->first.size()) best = &rule;
  }
  return best;
}

void check_patterns(const Rules& rules, const std::set<std::string>& used,
                    const std::vector<std::string>& names) {
  for (const auto& [pattern, rule] : rules)
    if (!used.contains(pattern))
      throw UsageError(fmt::format("optimizer.paramwise: \"{}\" matches none of the model's {} parameters{}",
                                   pattern, names.size(), did_you_mean(pattern, names)));
}

}  // namespace

std::vector<ParamGroup> form_groups(const torch::nn::Module& model, const Grouping& grouping) {
  std::vector<ParamGroup> groups;
  std::map<std::pair<double, double>, std::size_t> by_rates;
  std::set<const void*> seen;
  std::set<std::string> used;
  std::vector<std::string> names;
  for (const auto& item : model.named_parameters()) {
    const std::string& name = item.key();
    const at::Tensor& param = item.value();
    if (!param.defined() || !seen.insert(param.unsafeGetTensorImpl()).second) continue;
    names.push_back(name);
    if (!param.requires_grad()) {
      rule_for(grouping.paramwise, name, used);  // a recipe may freeze what it has a rule for
      continue;
    }
    double lr = grouping.lr;
    double decay = grouping.weight_decay;
    if (const auto* rule = rule_for(grouping.paramwise, name, used)) {
      lr *= rule->second.lr_mult;
      decay *= rule->second.decay_mult;
    } else if (!grouping.decay_norm_and_bias && param.dim() <= 1) {
      decay = 0;
    }
    const auto [at, is_new] = by_rates.try_emplace({lr, decay}, groups.size());
    if (is_new) groups.push_back({.base_lr = lr, .lr = lr, .weight_decay = decay});
    groups[at->second].names.push_back(name);
    groups[at->second].params.push_back(param);
  }
  check_patterns(grouping.paramwise, used, names);
  if (groups.empty())
    throw UsageError("optimizer: the model has no parameter that wants a gradient; unfreeze some");
  return groups;
}

}  // namespace marey::optim
