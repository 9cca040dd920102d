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
  // computes) by throwing UsageError. The model is built, the optimizer has not yet taken its parameters.
  // Writes no files.
  virtual void prepare(Run&) {}

  // A run that resumes begins again: load() comes between prepare() and run_begin(), and epoch_begin() is
  // told for the epoch that goes on.
  virtual void run_begin(Run&) {}
  virtual void epoch_begin(Run&) {}  // the model is in training mode
  virtual void micro_begin(Run&) {}
  // Also around each forward of an evaluation; the model is in evaluation mode then.
  virtual std::unique_ptr<ForwardScope> around_forward(Run&) { return nullptr; }
  virtual at::Tensor map_loss(Run&, at::Tensor loss) { return loss; }
  // Asked before the forward; a step is due when every hook agrees, and after the last micro-step of an epoch
  // in any case. See Run::micro_in_epoch.
  virtual bool step_due(const Run&) { return true; }
  virtual void micro_end(Run&) {}
  // In the order of roles: unscale, check, clip, observe. The runner ends the run when the loss is not
  // finite, unless a hook of Role::scale has set Run::overflowed here.
  virtual void gradients_ready(Run&) {}
  // false vetoes: the step is skipped, its gradients are dropped, and neither Progress nor the schedule
  // moves.
  virtual bool allow_step(Run&) { return true; }
  virtual void step_end(Run&) {
  }  // Run::step_skipped says whether it was vetoed; gradients are dropped afterwards
  virtual void epoch_end(Run&) {}
  virtual void eval_begin(Run&) {}
  // Run::metrics holds the results; none where the evaluation was broken off, which Run::interrupted says.
  virtual void eval_end(Run&) {}
  // After step_end, and at an epoch's end after the evaluation. The Checkpoint hook acts here. Where
  // Run::interrupted is set and no hook saves, the runner does.
  virtual void checkpoint_due(Run&) {}
  virtual void run_end(Run&) {}
  virtual void run_failed(Run&, const std::exception&) {}

  virtual State save() const { return {}; }
  virtual void load(const State&) {}
};

}  // namespace marey
