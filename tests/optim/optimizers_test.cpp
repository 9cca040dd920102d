#include "support/catch.hpp"
#include "support/plugin_component.hpp"

#include <marey/core/error.hpp>
#include <marey/train/optimizer.hpp>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

using namespace marey;
using marey::test::table;

namespace {

struct Net : torch::nn::Module {
  torch::nn::Conv3d conv{nullptr};
  torch::nn::BatchNorm3d norm{nullptr};
  torch::nn::Linear fc{nullptr};
  Net() {
    conv = register_module("conv", torch::nn::Conv3d(3, 8, 3));
    norm = register_module("norm", torch::nn::BatchNorm3d(8));
    fc = register_module("fc", torch::nn::Linear(37, 5));
  }
};

// Two nets with the same weights, and the same random gradients on demand.
struct Pair {
  std::shared_ptr<Net> ours = std::make_shared<Net>(), theirs = std::make_shared<Net>();
  at::Generator generator = at::detail::createCPUGenerator(5);

  explicit Pair(at::ScalarType type = at::kFloat) {
    ours->to(type), theirs->to(type);
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < ours->parameters().size(); ++i) {
      auto p = ours->parameters()[i];
      p.copy_(at::randn(p.sizes(), generator, p.options().requires_grad(false)));
      theirs->parameters()[i].copy_(p);
    }
  }

  void new_gradients() {
    for (std::size_t i = 0; i < ours->parameters().size(); ++i) {
      auto p = ours->parameters()[i];
      auto g = at::randn(p.sizes(), generator, p.options().requires_grad(false));
      p.mutable_grad() = g.clone();
      theirs->parameters()[i].mutable_grad() = g;
    }
  }

  double worst() const {  // relative to 1
    double w = 0;
    for (std::size_t i = 0; i < ours->parameters().size(); ++i)
      w = std::max(w, (ours->parameters()[i] - theirs->parameters()[i]).abs().max().item<double>());
    return w;
  }
};

double after_20_steps(at::ScalarType type, Optimizer& ours, auto make_theirs) {
  Pair nets(type);
  ours.attach(*nets.ours);
  auto theirs = make_theirs(nets.theirs->parameters());
  for (int i = 0; i < 20; ++i) {
    nets.new_gradients();
    ours.step();
    theirs->step();
  }
  return nets.worst();
}

bool equal(const State& a, const State& b) {
  if (a.values != b.values || a.tensors.size() != b.tensors.size()) return false;
  for (const auto& [name, tensor] : a.tensors)
    if (!b.tensors.contains(name) || !at::equal(tensor, b.tensors.at(name))) return false;
  return true;
}

State copy_of(const State& s) {
  State out = s;
  for (auto& [name, tensor] : out.tensors) tensor = tensor.clone();
  return out;
}

std::string refusal(Optimizer& optimizer, const State& state) {
  try {
    optimizer.load(state);
  } catch (const CheckpointError& e) {
    return e.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("SGD is PyTorch's") {
  test::Plugin plugin("optimizers");
  struct Case {
    double momentum, dampening, decay;
    bool nesterov;
  };
  for (const Case c : {Case{0, 0, 0, false}, Case{0, 0, 0.1, false}, Case{0.9, 0, 0.01, false},
                       Case{0.9, 0.5, 0.01, false}, Case{0.9, 0, 0.01, true}}) {
    CAPTURE(c.momentum, c.dampening, c.decay, c.nesterov);
    for (const auto type : {at::kFloat, at::kDouble}) {
      const auto ours = plugin.make<Optimizer>("SGD", {{"lr", 0.05},
                                                       {"momentum", c.momentum},
                                                       {"dampening", c.dampening},
                                                       {"weight_decay", c.decay},
                                                       {"nesterov", c.nesterov}});
      const double worst = after_20_steps(type, *ours, [&](std::vector<at::Tensor> params) {
        return std::make_unique<torch::optim::SGD>(params, torch::optim::SGDOptions(0.05)
                                                               .momentum(c.momentum)
                                                               .dampening(c.dampening)
                                                               .weight_decay(c.decay)
                                                               .nesterov(c.nesterov));
      });
      CHECK(worst <= (type == at::kFloat ? 2e-6 : 1e-14));
    }
  }
}

TEST_CASE("AdamW is PyTorch's") {
  test::Plugin plugin("optimizers");
  for (const bool amsgrad : {false, true}) {
    for (const auto type : {at::kFloat, at::kDouble}) {
      CAPTURE(amsgrad, type);
      const auto ours = plugin.make<Optimizer>("AdamW", {{"lr", 0.01},
                                                         {"betas", Value::Array{0.8, 0.95}},
                                                         {"eps", 1e-6},
                                                         {"weight_decay", 0.1},
                                                         {"amsgrad", amsgrad}});
      const double worst = after_20_steps(type, *ours, [&](std::vector<at::Tensor> params) {
        return std::make_unique<torch::optim::AdamW>(
            params,
            torch::optim::AdamWOptions(0.01).betas({0.8, 0.95}).eps(1e-6).weight_decay(0.1).amsgrad(amsgrad));
      });
      CHECK(worst <= (type == at::kFloat ? 2e-6 : 1e-14));
    }
  }
}

TEST_CASE("AdamW's defaults are PyTorch's") {
  test::Plugin plugin("optimizers");
  const auto ours = plugin.make<Optimizer>("AdamW", {{"lr", 1e-3}});
  const double worst = after_20_steps(at::kDouble, *ours, [](std::vector<at::Tensor> params) {
    return std::make_unique<torch::optim::AdamW>(params, torch::optim::AdamWOptions());
  });
  CHECK(worst <= 1e-14);
}

TEST_CASE("a gradient that lies in memory in another order is used by position, not by address") {
  test::Plugin plugin("optimizers");
  for (const std::string type : {"SGD", "AdamW"}) {
    Pair nets;
    const auto a = plugin.make<Optimizer>(type, {{"lr", 0.1}}),
               b = plugin.make<Optimizer>(type, {{"lr", 0.1}});
    a->attach(*nets.ours), b->attach(*nets.theirs);
    nets.new_gradients();
    auto& grad = nets.ours->conv->weight.mutable_grad();
    grad = grad.contiguous(at::MemoryFormat::ChannelsLast3d);
    a->step(), b->step();
    CHECK(nets.worst() == 0);
  }
}

TEST_CASE("parameters without a gradient are left alone, and start late with their own step count") {
  test::Plugin plugin("optimizers");
  Pair nets;
  const auto o = plugin.make<Optimizer>("AdamW", {{"lr", 0.1}});
  o->attach(*nets.ours);
  nets.new_gradients();
  nets.ours->fc->weight.mutable_grad().reset();
  const auto before = nets.ours->fc->weight.detach().clone();
  o->step();
  CHECK(at::equal(before, nets.ours->fc->weight));
  CHECK_FALSE(o->save().tensors.contains("fc.weight.exp_avg"));
  nets.new_gradients();
  o->step();
  CHECK_FALSE(at::equal(before, nets.ours->fc->weight));
  CHECK(o->save().tensors.at("fc.weight.step").item<double>() == 1);
  CHECK(o->save().tensors.at("fc.bias.step").item<double>() == 2);
}

TEST_CASE("groups follow decay_norm_and_bias and paramwise; the longest pattern wins") {
  test::Plugin plugin("optimizers");
  Net net;
  const auto all = plugin.make<Optimizer>("SGD", {{"lr", 0.1}, {"weight_decay", 0.01}});
  all->attach(net);
  REQUIRE(all->groups().size() == 1);
  CHECK(all->groups()[0].names.size() == 6);

  const auto split =
      plugin.make<Optimizer>("SGD", {{"lr", 0.1}, {"weight_decay", 0.01}, {"decay_norm_and_bias", false}});
  split->attach(net);
  REQUIRE(split->groups().size() == 2);
  CHECK((split->groups()[0].names == std::vector<std::string>{"conv.weight", "fc.weight"}));
  CHECK(split->groups()[0].weight_decay == 0.01);
  CHECK(split->groups()[1].weight_decay == 0);

  const auto ruled = plugin.make<Optimizer>(
      "SGD", {{"lr", 0.1},
              {"weight_decay", 0.01},
              {"decay_norm_and_bias", false},
              {"paramwise", table({{"fc", table({{"lr_mult", 10}})},
                                   {"*.bias", table({{"lr_mult", 2}, {"decay_mult", 0}})}})}});
  ruled->attach(net);
  std::map<std::string, std::pair<double, double>> of;
  for (const auto& g : ruled->groups())
    for (const auto& n : g.names) of[n] = {g.base_lr, g.weight_decay};
  CHECK(of.at("conv.weight") == std::pair(0.1, 0.01));
  CHECK(of.at("norm.weight") == std::pair(0.1, 0.0));
  CHECK(of.at("fc.weight") == std::pair(1.0, 0.01));
  CHECK(of.at("fc.bias") == std::pair(0.2, 0.0));  // "*.bias" is longer than "fc"

  const auto none =
      plugin.make<Optimizer>("SGD", {{"lr", 0.1}, {"paramwise", table({{"fc.wieght", table({})}})}});
  CHECK_THROWS_WITH(none->attach(net),
                    Catch::Contains("\"fc.wieght\" matches none of the model's 6 parameters") &&
                        Catch::Contains("did you mean 'fc.weight'?"));
}

TEST_CASE("frozen parameters are left out, shared ones count once") {
  test::Plugin plugin("optimizers");
  Net net;
  net.conv->weight.set_requires_grad(false);
  net.register_module("again", net.fc.ptr());
  const auto o = plugin.make<Optimizer>("SGD", {{"lr", 0.1}});
  o->attach(net);
  CHECK(o->groups()[0].names.size() == 5);
  const auto ruled = plugin.make<Optimizer>(
      "SGD", {{"lr", 0.1}, {"paramwise", table({{"conv.weight", table({{"lr_mult", 2}})}})}});
  ruled->attach(net);  // a rule for a frozen parameter is no mistake
  CHECK(ruled->groups().size() == 1);
  for (auto& p : net.parameters()) p.set_requires_grad(false);
  CHECK_THROWS_AS(o->attach(net), UsageError);
}

TEST_CASE("an optimizer restored from its state goes on bit by bit") {
  test::Plugin plugin("optimizers");
  for (const std::string type : {"SGD", "AdamW"}) {
    Pair nets;
    const auto make = [&] {
      return type == "SGD" ? plugin.make<Optimizer>(type, {{"lr", 0.1}, {"momentum", 0.9}})
                           : plugin.make<Optimizer>(type, {{"lr", 0.1}, {"amsgrad", true}});
    };
    const auto a = make(), b = make();
    a->attach(*nets.ours), b->attach(*nets.theirs);
    for (int i = 0; i < 3; ++i) {
      nets.new_gradients();
      a->step();
    }
    {
      const at::NoGradGuard no_grad;
      for (std::size_t i = 0; i < nets.ours->parameters().size(); ++i)
        nets.theirs->parameters()[i].copy_(nets.ours->parameters()[i]);
    }
    const State saved = copy_of(a->save());
    b->load(saved);
    b->load(saved);  // again: nothing is added
    CHECK(equal(b->save(), saved));
    for (int i = 0; i < 3; ++i) {
      nets.new_gradients();
      a->step(), b->step();
    }
    CHECK(nets.worst() == 0);
    CHECK(equal(a->save(), b->save()));
  }
}

TEST_CASE("a state that does not fit is refused and changes nothing") {
  test::Plugin plugin("optimizers");
  Pair nets;
  const auto o = plugin.make<Optimizer>("AdamW", {{"lr", 0.1}});
  o->attach(*nets.ours);
  nets.new_gradients();
  o->step();
  const State good = copy_of(o->save());

  State s = copy_of(good);
  s.tensors["fc.weight.exp_avg"] = at::zeros({5, 36});
  CHECK(has(refusal(*o, s), "\"fc.weight.exp_avg\" has shape [5, 36] in the checkpoint, expected [5, 37]"));
  s = copy_of(good);
  s.tensors.erase("fc.weight.exp_avg");
  CHECK(has(refusal(*o, s), "\"fc.weight.exp_avg\" is missing"));
  s = copy_of(good);
  s.tensors["fc.weight.other"] = at::zeros({1});
  CHECK(has(refusal(*o, s), "has 19 tensors, 18 of them known to AdamW"));
  CHECK(has(refusal(*plugin.make<Optimizer>("SGD", {{"lr", 0.1}}), good),
            "was made with AdamW, the recipe says SGD"));
  CHECK(has(refusal(*o, {}), "no optimizer"));

  const auto split = plugin.make<Optimizer>("AdamW", {{"lr", 0.1}, {"decay_norm_and_bias", false}});
  split->attach(*nets.ours);
  CHECK(has(refusal(*split, good), "has 1 parameter groups, this recipe forms 2"));
  nets.theirs->conv->weight.set_requires_grad(false);
  const auto frozen = plugin.make<Optimizer>("AdamW", {{"lr", 0.1}});
  frozen->attach(*nets.theirs);
  CHECK(has(refusal(*frozen, good),
            "has 6 parameters, this model 5; 1 only in the checkpoint, the first \"conv.weight\""));

  CHECK(equal(o->save(), good));
}

TEST_CASE("wrong optimizer parameters are named") {
  test::Plugin plugin("optimizers");
  CHECK(has(plugin.problem<Optimizer>("SGD", {{"lr", 0.1}, {"nesterov", true}}),
            "nesterov needs a momentum above 0"));
  CHECK(has(plugin.problem<Optimizer>("AdamW", {{"lr", 0.1}, {"betas", Value::Array{0.9, 1.0}}}),
            "betas must be below 1"));
  CHECK(has(plugin.problem<Optimizer>("SGD", {}), "lr"));
  CHECK(has(plugin.problem<Optimizer>("SGD", {{"lr", -1}}), "at least 0"));
}
