// Acts at named points of a run. The runner knows none of mixed precision, accumulation, clipping,
// checkpoints, early stopping or logging: each is a hook. A hook's key in the recipe is its name.
#pragma once
#include <marey/train/run.hpp>
#include <marey/train/state.hpp>

#include <ATen/core/Tensor.h>

#include <memory>
#include <string_view>

namespace marey {

// The order of hooks within one point: by role, then by name. Fixed by what a hook does, not by the recipe.
enum class Role { scale, check, clip, observe, evaluate, checkpoint, stop, log };

// Held while the forward pass runs; its destructor undoes what its constructor did.
struct ForwardScope {
  virtual ~ForwardScope() = default;
};

class Hook {
 public:
  static constexpr std::string_view kind = "hook";
  virtual ~Hook() = default;
  virtual Role role() const { return Role::observe; }

  // Before anything runs, also under `marey check`: names what does not fit the run (a metric nobody
  // computes) by throwing UsageError.
  virtual void prepare(Run&) {}

  virtual void run_begin(Run&) {}
  virtual void epoch_begin(Run&) {}
  virtual void micro_begin(Run&) {}
  virtual std::unique_ptr<ForwardScope> around_forward(Run&) { return nullptr; }
  virtual at::Tensor map_loss(Run&, at::Tensor loss) { return loss; }
  // Asked before the forward; a step is due when every hook agrees. See Run::micro_in_epoch.
  virtual bool step_due(const Run&) { return true; }
  virtual void micro_end(Run&) {}
  virtual void gradients_ready(Run&) {}  // in the order of roles: unscale, check, clip, observe
  virtual bool allow_step(Run&) {
    return true;
  }                               // false vetoes: the step is skipped, neither schedule nor EMA moves
  virtual void step_end(Run&) {}  // Run::step_skipped says whether it was vetoed
  virtual void epoch_end(Run&) {}
  virtual void eval_begin(Run&) {}
  virtual void eval_end(Run&) {}        // Run::metrics holds the results
  virtual void checkpoint_due(Run&) {}  // after step_end and after evaluation; the Checkpoint hook acts here
  virtual void run_end(Run&) {}
  virtual void run_failed(Run&, const std::exception&) {}

  virtual State save() const { return {}; }
  virtual void load(const State&) {}
};

}  // namespace marey
