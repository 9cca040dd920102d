// Which checkpoints a run has written, and which of them are to stay.
#pragma once
#include <marey/train/monitor.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace marey::hooks {

struct Saved {
  std::int64_t step = 0, epoch = 0;
  bool regular = false;         // written because its time had come; otherwise for its metric only
  std::optional<double> value;  // of the metric watched, where one was just computed
};

class Ledger {
 public:
  // keep_last 0: all regular ones stay. keep_best 0: none stays for its metric.
  Ledger(std::int64_t keep_last, std::int64_t keep_best, Better better)
      : keep_last_(keep_last), keep_best_(keep_best), better_(better) {}

  bool would_be_best(double value) const;  // one of the keep_best best
  void add(Saved);                         // takes the place of an entry of the same step
  std::vector<Saved> best() const;         // best first; of equal ones the older first
  std::vector<Saved> superfluous() const;
  void forget(std::int64_t step);
  const std::vector<Saved>& all() const { return saved_; }

  nlohmann::json to_json() const;
  void from_json(const nlohmann::json&);

 private:
  std::int64_t keep_last_, keep_best_;
  Better better_;
  std::vector<Saved> saved_;  // by step
};

}  // namespace marey::hooks
