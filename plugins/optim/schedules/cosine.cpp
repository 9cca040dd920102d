#include "cosine.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace marey::optim {

Schema<Cosine::Params> Cosine::schema() {
  return Schema<Params>{}
      .include(WarmUp::schema())
      .arg<&Params::final_factor>({.doc = "factor at the end of the run", .min = 0, .max = 1})
      .arg<&Params::start>(
          {.doc = "where the cosine starts: with the run, so that the warm-up cuts off its beginning, or "
                  "at warmup_end, so that it has the full height"});
}

double Cosine::factor(const Progress& progress) const {
  const Place at = p_.place(progress);
  const double start = p_.start == CosineStart::warmup_end && at.warm_up < at.length ? at.warm_up : 0;
  return p_.apply(at, [&](double position) {
    const double x = std::clamp((position - start) / (at.length - start), 0.0, 1.0);
    return p_.final_factor + (1 - p_.final_factor) * (1 + std::cos(std::numbers::pi * x)) / 2;
  });
}

}  // namespace marey::optim
