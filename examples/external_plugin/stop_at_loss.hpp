// Ends a run once the running mean of the loss falls below a value.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>

class StopAtLoss final : public marey::Hook {
 public:
  struct Params {
    double below = 0.1;
    double momentum = 0.9;
  };
  static marey::Schema<Params> schema();
  explicit StopAtLoss(Params params) : params_(params) {}

  marey::Role role() const override { return marey::Role::stop; }
  void micro_end(marey::Run&) override;
  void step_end(marey::Run&) override;
  marey::State save() const override;  // so that a resumed run stops where the uninterrupted one does
  void load(const marey::State&) override;

 private:
  Params params_;
  double mean_ = -1;  // negative: no loss seen yet
};
