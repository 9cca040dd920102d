#include "amp.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("amp", "0.1.0") {
  registry.add<marey::Hook, marey::hooks::AMP>(
      "AMP", "mixed precision with autocast and, for float16, loss scaling");
}
