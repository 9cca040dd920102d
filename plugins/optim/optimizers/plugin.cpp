#include "adamw.hpp"
#include "sgd.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("optimizers", "0.1.0") {
  using namespace marey::optim;
  registry.add<marey::Optimizer, SGD>("SGD", "stochastic gradient descent with momentum");
  registry.add<marey::Optimizer, AdamW>("AdamW", "Adam with decoupled weight decay");
}
