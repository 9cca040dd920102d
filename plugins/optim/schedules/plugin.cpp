#include "constant.hpp"
#include "cosine.hpp"
#include "multi_step.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("schedules", "0.1.0") {
  using namespace marey::optim;
  registry.add<marey::Schedule, Constant>("Constant", "the base learning rate throughout, after a warm-up");
  registry.add<marey::Schedule, Cosine>("Cosine", "half a cosine over the run, after a warm-up");
  registry.add<marey::Schedule, MultiStep>("MultiStep", "times gamma at each milestone, after a warm-up");
}
