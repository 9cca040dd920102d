// Saves a run at intervals, at its end and when it is interrupted; keeps the last and the best.
#pragma once
#include "ledger.hpp"

#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>
#include <marey/train/monitor.hpp>

#include <optional>
#include <string>

namespace marey::hooks {

class Checkpoint final : public Hook {
 public:
  struct Params {
    std::int64_t interval_epochs = 1, interval_steps = 0;
    std::int64_t keep_last = 3, keep_best = 1;
    std::string monitor;
    Better mode = Better::max;
    std::int64_t max_failures = 3;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit Checkpoint(Params p) : p_(p), ledger_(p.keep_last, p.monitor.empty() ? 0 : p.keep_best, p.mode) {}

  Role role() const override { return Role::checkpoint; }
  void prepare(Run&) override;
  void run_begin(Run&) override;
  void micro_begin(Run&) override { written_here_ = false; }
  void epoch_end(Run&) override { written_here_ = false; }
  void eval_begin(Run&) override { value_.reset(); }
  void eval_end(Run&) override;
  void step_end(Run&) override { value_.reset(); }
  void checkpoint_due(Run&) override;
  State save() const override;
  void load(const State&) override;

 private:
  bool is_regular(const Run&) const;
  bool must_not_fail(const Run&) const;
  void write(Run&, Saved);
  void failed(const Run&, const std::exception&);
  void prune(const Run&);
  void name_best(const Run&) const;

  Params p_;
  Ledger ledger_;
  std::optional<double> value_;  // of the evaluation that has just ended
  bool written_here_ = false;    // nothing has happened since the last checkpoint
  std::int64_t failures_ = 0;    // in a row
};

}  // namespace marey::hooks
