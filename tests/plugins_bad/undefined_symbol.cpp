// Needs a function that nobody has.
#include "tone.hpp"

#include <marey/core/plugin.hpp>

void nobody_has_this_function();

MAREY_PLUGIN("undefined_symbol", "1") {
  nobody_has_this_function();
  registry.add<zoo::Tone, zoo::Beep>("Beep", "one short tone");
}
