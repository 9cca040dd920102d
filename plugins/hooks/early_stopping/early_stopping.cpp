#include "early_stopping.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace marey::hooks {

Schema<EarlyStopping::Params> EarlyStopping::schema() {
  return Schema<Params>{}
      .arg<&Params::monitor>({.doc = "metric of the evaluations, for example \"val/top1\"", .required = true})
      .arg<&Params::mode>({.doc = "whether a larger or a smaller value is better"})
      .arg<&Params::patience>({.doc = "the run ends after this many evaluations in a row without a better "
                                      "value; a value that is not a "
                                      "number is never better",
                               .unit = "evaluations",
                               .min = 1})
      .arg<&Params::min_delta>({.doc = "what a value must beat the best by", .min = 0});
}

// A run that was stopped and is resumed stays stopped, unless its patience was raised.
void EarlyStopping::run_begin(Run& run) { stop_when_due(run); }

void EarlyStopping::eval_end(Run& run) {
  if (run.interrupted) return;  // the evaluation was broken off
  const auto found = run.metrics.find(p_.monitor);
  if (found == run.metrics.end())
    throw Error(fmt::format("EarlyStopping: the evaluation gave no \"{}\"; check the metric that should",
                            p_.monitor));
  if (improves(p_.mode, found->second, best_, p_.min_delta)) {
    best_ = found->second;
    waited_ = 0;
    return;
  }
  ++waited_;
  stop_when_due(run);
}

void EarlyStopping::stop_when_due(Run& run) const {
  if (waited_ < p_.patience) return;
  run.stop = true;
  run.stop_reason = std::isnan(best_)
                        ? fmt::format("{} was no number in {} evaluations in a row", p_.monitor, waited_)
                        : fmt::format("{} has not improved on {:.6g} in {} evaluations in a row", p_.monitor,
                                      best_, waited_);
}

State EarlyStopping::save() const {
  State state;
  state.values = {{"waited", waited_}, {"best", nullptr}};
  if (!std::isnan(best_)) state.values["best"] = best_;
  return state;
}

void EarlyStopping::load(const State& state) {
  waited_ = state.values.value("waited", std::int64_t{0});
  if (state.values.contains("best") && state.values.at("best").is_number())
    best_ = state.values.at("best").get<double>();
}

}  // namespace marey::hooks
