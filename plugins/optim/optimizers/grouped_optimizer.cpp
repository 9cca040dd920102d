#include "grouped_optimizer.hpp"

#include <marey/core/error.hpp>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace marey::optim {
namespace {

// The fused kernels walk raw memory, so a gradient must lie in memory as its parameter does.
at::Tensor laid_out_like(const at::Tensor& grad, const at::Tensor& param) {
  if (grad.strides() == param.strides()) return grad;
  return at::empty_like(param).copy_(grad);
}

nlohmann::json names_of(const std::vector<ParamGroup>& groups) {
  nlohmann::json out = nlohmann::json::array();
  for (const ParamGroup& g : groups) out.push_back(g.names);
  return out;
}

std::vector<std::string> flat_names(const nlohmann::json& groups) {
  std::vector<std::string> out;
  for (const auto& group : groups)
    for (const auto& name : group) out.push_back(name.get<std::string>());
  std::sort(out.begin(), out.end());
  return out;
}

// Says how two lists of names differ, by counts and a few examples.
std::string difference(const std::vector<std::string>& saved, const std::vector<std::string>& here) {
  std::vector<std::string> only_saved, only_here;
  std::set_difference(saved.begin(), saved.end(), here.begin(), here.end(), std::back_inserter(only_saved));
  std::set_difference(here.begin(), here.end(), saved.begin(), saved.end(), std::back_inserter(only_here));
  std::string text =
      fmt::format("the checkpoint's optimizer has {} parameters, this model {}", saved.size(), here.size());
  const auto tell = [&](const char* where, const std::vector<std::string>& names) {
    if (!names.empty())
      text += fmt::format("; {} only {}, the first \"{}\"", names.size(), where, names.front());
  };
  tell("in the checkpoint", only_saved);
  tell("here", only_here);
  return text;
}

constexpr const char* advice =
    "; resume with the recipe that the run was started with, or start anew from its weights";

void check_names(const nlohmann::json& saved, const nlohmann::json& here) {
  const auto saved_names = flat_names(saved), here_names = flat_names(here);
  if (saved_names != here_names)
    throw CheckpointError("optimizer: " + difference(saved_names, here_names) + advice);
  if (saved != here)
    throw CheckpointError(
        fmt::format("optimizer: the checkpoint has {} parameter groups, this recipe forms {}, with other "
                    "members{}",
                    saved.size(), here.size(), advice));
}

}  // namespace

void GroupedOptimizer::attach(const torch::nn::Module& model) {
  groups_ = form_groups(model, grouping_);
  slots_.clear();
  for (const ParamGroup& g : groups_) {
    for (std::size_t i = 0; i < g.params.size(); ++i)
      if (!g.params[i].is_non_overlapping_and_dense())
        throw UsageError(
            fmt::format("optimizer: the parameter \"{}\" does not fill its memory (it is a view with gaps); "
                        "make it contiguous in the model",
                        g.names[i]));
    slots_.emplace_back(g.params.size());
  }
}

std::vector<GroupedOptimizer::Lists> GroupedOptimizer::lists_of(std::size_t group) {
  const ParamGroup& g = groups_[group];
  std::map<std::tuple<int, int, int, bool>, Lists> lists;
  for (std::size_t i = 0; i < g.params.size(); ++i) {
    const at::Tensor& param = g.params[i];
    const at::Tensor& grad = param.grad();
    if (!grad.defined()) continue;
    if (grad.is_sparse())
      throw UsageError(
          fmt::format("optimizer: the gradient of \"{}\" is sparse; {} needs dense ones", g.names[i], type_));
    auto& slots = slots_[group][i];
    const bool fresh = slots.empty();
    if (fresh) slots = new_slots(param);
    Lists& l = lists[{static_cast<int>(param.device().type()), param.device().index(),
                      static_cast<int>(param.scalar_type()), fresh}];
    l.fresh = fresh;
    l.slots.resize(slots.size());
    l.params.push_back(param);
    l.grads.push_back(laid_out_like(grad, param));
    for (std::size_t s = 0; s < slots.size(); ++s) l.slots[s].push_back(slots[s]);
  }
  std::vector<Lists> out;
  for (auto& [key, l] : lists) out.push_back(std::move(l));
  return out;
}

void GroupedOptimizer::step() {
  const at::NoGradGuard no_grad;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (Lists& lists : lists_of(g)) update(groups_[g], lists);
}

State GroupedOptimizer::save() const {
  State state;
  state.values = {{"type", type_}, {"groups", names_of(groups_)}};
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t i = 0; i < groups_[g].params.size(); ++i)
      for (std::size_t s = 0; s < slots_[g][i].size(); ++s)
        state.tensors[groups_[g].names[i] + "." + slot_names_[s]] = slots_[g][i][s];
  return state;
}

void GroupedOptimizer::load(const State& state) {
  const at::NoGradGuard no_grad;
  const std::string type = state.values.value("type", std::string());
  if (type != type_)
    throw CheckpointError(fmt::format("optimizer: the checkpoint was made with {}, the recipe says {}{}",
                                      type.empty() ? "no optimizer" : type, type_, advice));
  check_names(state.values.value("groups", nlohmann::json::array()), names_of(groups_));

  // Into new slots first: a refused checkpoint changes nothing.
  auto loaded = slots_;
  std::size_t taken = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t i = 0; i < groups_[g].params.size(); ++i) {
      auto& slots = loaded[g][i];
      slots.clear();
      const std::string& name = groups_[g].names[i];
      const auto has = [&](const std::string& slot) { return state.tensors.contains(name + "." + slot); };
      if (std::none_of(slot_names_.begin(), slot_names_.end(), has)) continue;  // was never updated
      slots = new_slots(groups_[g].params[i]);
      for (std::size_t s = 0; s < slots.size(); ++s) {
        const std::string key = name + "." + slot_names_[s];
        const auto found = state.tensors.find(key);
        if (found == state.tensors.end())
          throw CheckpointError(
              fmt::format("optimizer: \"{}\" is missing from the checkpoint{}", key, advice));
        if (found->second.sizes() != slots[s].sizes())
          throw CheckpointError(
              fmt::format("optimizer: \"{}\" has shape [{}] in the checkpoint, expected [{}]{}", key,
                          fmt::join(found->second.sizes(), ", "), fmt::join(slots[s].sizes(), ", "), advice));
        slots[s].copy_(found->second);
        ++taken;
      }
    }
  }
  if (taken != state.tensors.size())
    throw CheckpointError(fmt::format("optimizer: the checkpoint has {} tensors, {} of them known to {}{}",
                                      state.tensors.size(), taken, type_, advice));
  slots_ = std::move(loaded);
}

}  // namespace marey::optim
