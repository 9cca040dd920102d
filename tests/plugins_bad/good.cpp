// The control: the one plugin here that loads.
#include "tone.hpp"

#include <marey/core/plugin.hpp>

namespace {
const zoo::Trace trace("MAREY_ZOO_GOOD");
}

MAREY_PLUGIN("good", "1.2.3") { registry.add<zoo::Tone, zoo::Beep>("Beep", "one short tone"); }
