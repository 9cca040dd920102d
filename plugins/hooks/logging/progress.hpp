// One line at the bottom of the terminal. Silent where stderr is no terminal.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>

#include <chrono>

namespace marey::hooks {

class Progress final : public Hook {
 public:
  struct Params {
    double interval_seconds = 0.25;
  };
  static Schema<Params> schema() {
    return Schema<Params>{}.arg<&Params::interval_seconds>(
        {.doc = "the line is drawn anew after this time at the earliest", .unit = "seconds", .min = 0.02});
  }
  explicit Progress(Params p) : p_(p) {}

  Role role() const override { return Role::log; }
  void micro_end(Run&) override;
  void eval_begin(Run&) override;
  void eval_end(Run&) override;
  void run_end(Run&) override;
  void run_failed(Run&, const std::exception&) override;

 private:
  using Clock = std::chrono::steady_clock;
  Params p_;
  Clock::time_point drawn_{};
  double seconds_ = 0, clips_ = 0;  // of one micro-step: moving averages
};

}  // namespace marey::hooks
