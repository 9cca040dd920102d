// Hooks that provoke and write down what the tests look at.
#pragma once
#include <marey/core/registry.hpp>
#include <marey/train/hook.hpp>
#include <marey/train/monitor.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace marey::test {

// Where the hooks of this process write.
inline std::vector<std::string>& events() {
  static std::vector<std::string> all;
  return all;
}
inline std::vector<std::string> take_events() { return std::exchange(events(), {}); }

// Writes down every point as "name.point".
class Recorder : public Hook {
 public:
  struct Params {
    std::string name, role = "observe";
  };
  static auto schema() {
    return Schema<Params>{}.arg<&Params::name>({.doc = "name"}).arg<&Params::role>({.doc = "role"});
  }
  explicit Recorder(Params p) : p_(std::move(p)) {}
  Role role() const override {
    return p_.role == "scale" ? Role::scale : p_.role == "log" ? Role::log : Role::observe;
  }
  void prepare(Run&) override { note("prepare"); }
  void run_begin(Run&) override { note("run_begin"); }
  void epoch_begin(Run&) override { note("epoch_begin"); }
  void micro_begin(Run&) override { note("micro_begin"); }
  std::unique_ptr<ForwardScope> around_forward(Run& run) override {
    note(run.model->is_training() ? "forward" : "eval_forward");
    struct Scope : ForwardScope {
      explicit Scope(Recorder* r) : owner(r) {}
      ~Scope() override { owner->note("forward_left"); }
      Recorder* owner;
    };
    return std::make_unique<Scope>(this);
  }
  at::Tensor map_loss(Run&, at::Tensor loss) override { return note("map_loss"), loss; }
  bool step_due(const Run&) override { return note("step_due"), true; }
  void micro_end(Run&) override { note("micro_end"); }
  void gradients_ready(Run& run) override { note(fmt::format("gradients_ready {}", run.gradients().size())); }
  bool allow_step(Run&) override { return note("allow_step"), true; }
  void step_end(Run&) override { note("step_end"); }
  void epoch_end(Run&) override { note("epoch_end"); }
  void eval_begin(Run&) override { note("eval_begin"); }
  void eval_end(Run&) override { note("eval_end"); }
  void checkpoint_due(Run&) override { note("checkpoint_due"); }
  void run_end(Run&) override { note("run_end"); }
  void run_failed(Run&, const std::exception&) override { note("run_failed"); }

 private:
  void note(const std::string& point) { events().push_back(p_.name + "." + point); }
  Params p_;
};

// "epoch/micro-step: its clips, lr", and a number drawn where the run and each epoch begin.
struct Trace : Hook {
  void run_begin(Run&) override { at::rand({3}); }
  void epoch_begin(Run&) override { at::rand({1}); }
  void micro_end(Run& run) override {
    events().push_back(fmt::format("{}/{}: {} {:.17g} {:.17g} {}", run.epoch, run.micro_in_epoch,
                                   fmt::join(run.batch->sources, ","), run.output.loss.item<double>(),
                                   run.optimizer->groups()[0].lr,
                                   run.batch->pixels.sum().item<std::int64_t>()));
  }
  void step_end(Run& run) override { ++steps, last_loss = run.scalars.at("loss"); }
  State save() const override {
    return {.values = {{"steps", steps}}, .tensors = {{"loss", at::full({2}, last_loss)}}};
  }
  void load(const State& s) override {
    steps = s.values.at("steps");
    last_loss = s.tensors.at("loss")[0].item<float>();
  }
  int steps = 0;
  float last_loss = 0;
};

class Accumulate : public Hook {
 public:
  struct Params {
    std::int64_t steps = 4;
  };
  static auto schema() { return Schema<Params>{}.arg<&Params::steps>({.doc = "window"}); }
  explicit Accumulate(Params p) : p_(p) {}
  Role role() const override { return Role::scale; }
  void prepare(Run& run) override { run.accumulate = p_.steps; }
  at::Tensor map_loss(Run& run, at::Tensor loss) override {
    const auto first = run.micro_in_epoch / p_.steps * p_.steps;
    return loss / static_cast<double>(std::min(p_.steps, run.micro_per_epoch - first));
  }
  bool step_due(const Run& run) override { return (run.micro_in_epoch + 1) % p_.steps == 0; }

 private:
  Params p_;
};

// Does one thing after the `step`-th step of this process, counted from 1.
class Act : public Hook {
 public:
  struct Params {
    std::int64_t step = 1;
    std::string what;
  };
  static auto schema() {
    return Schema<Params>{}.arg<&Params::step>({.doc = "step"}).arg<&Params::what>({.doc = "what"});
  }
  explicit Act(Params p) : p_(std::move(p)) {}
  Role role() const override { return p_.what == "overflow" ? Role::scale : Role::stop; }
  void prepare(Run& run) override {
    if (p_.what == "monitor") check_monitor(run, "hooks.act", "val/top5");
  }
  void gradients_ready(Run& run) override { run.overflowed = run.overflowed || (now("overflow", 1)); }
  bool allow_step(Run& run) override {
    if (!now("veto", 1) && !now("overflow", 1)) return true;
    before_ = {run.model->parameters()[0].clone(), run.optimizer->save().tensors.at("weight.velocity")};
    step_ = run.progress.step;
    return false;
  }
  void micro_end(Run& run) override {
    if (now("save too early", 1)) run.save_checkpoint();
    if (now("throw", 1)) throw std::runtime_error("out of luck");
  }
  void step_end(Run& run) override {
    ++done_;
    if (run.step_skipped)
      events().push_back(fmt::format("skipped {} {} {}", run.model->parameters()[0].equal(before_[0]),
                                     run.optimizer->save().tensors.at("weight.velocity").equal(before_[1]),
                                     run.progress.step == step_));
    if (now("interrupt")) std::raise(SIGINT);
    if (now("terminate")) std::raise(SIGTERM);
    if (now("stop")) run.stop = true, run.stop_reason = "enough";
  }
  void eval_begin(Run&) override {
    if (p_.what == "terminate in evaluation" && done_ >= p_.step) std::raise(SIGTERM);
  }
  void eval_end(Run& run) override { events().push_back(fmt::format("evaluated {}", !run.metrics.empty())); }

 private:
  bool now(const char* what, int ahead = 0) const { return p_.what == what && done_ + ahead == p_.step; }
  Params p_;
  std::int64_t done_ = 0, step_ = 0;
  std::vector<at::Tensor> before_;
};

// Saves at every `every`-th step, or at every epoch's end.
class Save : public Hook {
 public:
  struct Params {
    std::int64_t every = 0;
  };
  static auto schema() { return Schema<Params>{}.arg<&Params::every>({.doc = "steps; 0: epochs"}); }
  explicit Save(Params p) : p_(p) {}
  Role role() const override { return Role::checkpoint; }
  void checkpoint_due(Run& run) override {
    if (p_.every > 0 ? run.progress.step % p_.every == 0 : run.end_of_epoch) run.save_checkpoint();
  }

 private:
  Params p_;
};

inline void add_small_hooks(Registry& r) {
  r.add<Hook, Recorder>("Recorder", "every point");
  r.add<Hook, Trace>("Trace", "every batch");
  r.add<Hook, Accumulate>("Accumulate", "windows");
  r.add<Hook, Act>("Act", "one thing");
  r.add<Hook, Save>("Save", "checkpoints");
}

}  // namespace marey::test
