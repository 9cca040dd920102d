// Several micro-steps make one optimizer step, as if their batches were one.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>

namespace marey::hooks {

class GradientAccumulation final : public Hook {
 public:
  struct Params {
    std::int64_t steps = 1;
  };
  static Schema<Params> schema() {
    return Schema<Params>{}.arg<&Params::steps>({.doc = "micro-steps whose gradients are averaged into one "
                                                        "optimizer step; the last step of an epoch averages "
                                                        "over the micro-steps that are left",
                                                 .unit = "micro-steps",
                                                 .min = 1,
                                                 .required = true});
  }
  explicit GradientAccumulation(Params p) : p_(p) {}

  Role role() const override { return Role::scale; }
  void prepare(Run& run) override { run.accumulate = p_.steps; }
  void run_begin(Run& run) override { run.accumulate = p_.steps; }
  at::Tensor map_loss(Run&, at::Tensor loss) override;
  bool step_due(const Run&) override;

 private:
  Params p_;
};

}  // namespace marey::hooks
