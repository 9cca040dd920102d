// Ends a run whose metric no longer improves.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>
#include <marey/train/monitor.hpp>

#include <limits>
#include <string>

namespace marey::hooks {

class EarlyStopping final : public Hook {
 public:
  struct Params {
    std::string monitor;
    Better mode = Better::max;
    std::int64_t patience = 5;
    double min_delta = 0;
  };
  static Schema<Params> schema();
  explicit EarlyStopping(Params p) : p_(std::move(p)) {}

  Role role() const override { return Role::stop; }
  void prepare(Run& run) override { check_monitor(run, "EarlyStopping", p_.monitor); }
  void run_begin(Run&) override;
  void eval_end(Run&) override;
  State save() const override;
  void load(const State&) override;

 private:
  void stop_when_due(Run&) const;

  Params p_;
  double best_ = std::numeric_limits<double>::quiet_NaN();  // none yet
  std::int64_t waited_ = 0;                                 // evaluations since the best
};

}  // namespace marey::hooks
