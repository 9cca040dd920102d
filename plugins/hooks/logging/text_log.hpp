// A line to people every so many steps and at each evaluation.
#pragma once
#include "averages.hpp"

#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>

namespace marey::hooks {

class TextLog final : public Hook {
 public:
  struct Params {
    std::int64_t interval = 50;
  };
  static Schema<Params> schema() {
    return Schema<Params>{}.arg<&Params::interval>(
        {.doc = "optimizer steps from line to line; a line gives means over them",
         .unit = "steps",
         .min = 1});
  }
  explicit TextLog(Params p) : p_(p) {}

  Role role() const override { return Role::log; }
  void micro_end(Run& run) override { averages_.add(run); }
  void step_end(Run&) override;
  void eval_end(Run&) override;
  State save() const override { return {.values = {{"averages", averages_.save()}}}; }
  void load(const State& state) override { averages_.load(state.values.value("averages", nlohmann::json())); }

 private:
  Params p_;
  Averages averages_;
};

}  // namespace marey::hooks
