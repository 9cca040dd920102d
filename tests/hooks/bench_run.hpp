// A run without a runner: a linear model, plain gradient descent, and the training step's order of points.
#pragma once
#include "support/catch.hpp"
#include "support/plugin_component.hpp"

#include <marey/train/hook.hpp>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace marey::test {

struct LinearModel final : Model {
  torch::nn::Linear fc{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
  explicit LinearModel(bool with_norm = false) {
    fc = register_module("fc", torch::nn::Linear(torch::nn::LinearOptions(3, 1).bias(false)));
    if (with_norm) norm = register_module("norm", torch::nn::BatchNorm1d(3));
    const at::NoGradGuard no_grad;
    fc->weight.fill_(0.5);
  }
  at::Tensor forward(at::Tensor x) {  // [N, 3] → [N, 1]
    if (norm) x = norm(x);
    return fc(x);
  }
  TrainOutput train_step(const data::Batch& batch) override {
    TrainOutput out;
    out.loss = forward(batch.pixels).square().mean();
    return out;
  }
  at::Tensor predict(const data::Batch& batch) override { return forward(batch.pixels); }
  std::int64_t num_classes() const override { return 1; }
};

struct PlainDescent final : Optimizer {
  std::vector<ParamGroup> all{1};
  int steps = 0;
  void attach(const torch::nn::Module& m) override {
    for (const auto& p : m.named_parameters()) {
      all[0].names.push_back(p.key());
      all[0].params.push_back(p.value());
    }
    all[0].base_lr = all[0].lr = 0.1;
  }
  void step() override {
    const at::NoGradGuard no_grad;
    ++steps;
    for (auto& p : all[0].params)
      if (p.grad().defined()) p.sub_(p.grad(), all[0].lr);
  }
  std::vector<ParamGroup>& groups() override { return all; }
  State save() const override { return {}; }
  void load(const State&) override {}
};

struct BenchRun {
  Run run;
  std::vector<std::shared_ptr<Hook>> hooks;
  std::shared_ptr<LinearModel> model;
  std::shared_ptr<PlainDescent> optimizer = std::make_shared<PlainDescent>();

  explicit BenchRun(std::vector<std::shared_ptr<Hook>> h, bool with_norm = false, Run start = {})
      : run(std::move(start)), hooks(std::move(h)), model(std::make_shared<LinearModel>(with_norm)) {
    std::stable_sort(hooks.begin(), hooks.end(), [](auto& a, auto& b) { return a->role() < b->role(); });
    optimizer->attach(*model);
    run.model = model, run.optimizer = optimizer;
    run.evaluates = true;
    run.metric_keys = {"val/top1", "val/loss"};
    for (auto& h : hooks) h->prepare(run);
    for (auto& h : hooks) h->run_begin(run);
  }

  // One micro-step on inputs [N, 3]; true when it ended in an optimizer step.
  bool micro(const at::Tensor& inputs) {
    data::Batch batch;
    batch.pixels = inputs;
    batch.sources.assign(static_cast<std::size_t>(inputs.size(0)), "clip.mp4");
    run.batch = &batch;
    for (auto& h : hooks) h->micro_begin(run);
    run.step_is_due = std::all_of(hooks.begin(), hooks.end(), [&](auto& h) { return h->step_due(run); });
    {
      std::vector<std::unique_ptr<ForwardScope>> scopes;
      for (auto& h : hooks) scopes.push_back(h->around_forward(run));
      run.output = model->train_step(batch);
      while (!scopes.empty()) scopes.pop_back();
    }
    at::Tensor loss = run.output.loss;
    for (auto& h : hooks) loss = h->map_loss(run, loss);
    loss.backward();
    run.samples_seen += inputs.size(0);
    for (auto& h : hooks) h->micro_end(run);
    bool stepped = false;
    if (run.step_is_due) stepped = step();
    run.batch = nullptr;
    return stepped;
  }

  bool step() {
    run.overflowed = false;
    for (auto& h : hooks) h->gradients_ready(run);
    bool allowed = true;
    for (auto& h : hooks) allowed = h->allow_step(run) && allowed;
    run.step_skipped = !allowed;
    if (allowed) {
      optimizer->step();
      ++run.progress.step;
    }
    for (auto& h : hooks) h->step_end(run);
    for (auto& p : model->parameters()) p.mutable_grad().reset();
    for (auto& h : hooks) h->checkpoint_due(run);
    return allowed;
  }

  // All micro-steps of one epoch.
  void epoch(const std::vector<at::Tensor>& batches) {
    run.micro_per_epoch = static_cast<std::int64_t>(batches.size());
    for (auto& h : hooks) h->epoch_begin(run);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      run.micro_in_epoch = static_cast<std::int64_t>(i);
      micro(batches[i]);
    }
  }

  // The end of an epoch with an evaluation that gives `value`.
  void evaluate(double value, const std::string& key = "val/top1") {
    run.end_of_epoch = true;
    for (auto& h : hooks) h->epoch_end(run);
    for (auto& h : hooks) h->eval_begin(run);
    run.metrics = {{key, value}};
    for (auto& h : hooks) h->eval_end(run);
    for (auto& h : hooks) h->checkpoint_due(run);
    run.end_of_epoch = false;
    ++run.epoch;
  }
};

inline at::Tensor inputs(std::uint64_t seed, std::int64_t count = 4) {
  return at::randn({count, 3}, at::detail::createCPUGenerator(seed));
}

}  // namespace marey::test
