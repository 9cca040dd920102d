// Built for a host of another time. Its static constructor must not run.
#define MAREY_ABI "marey-0;torch-1.0;cxx11abi-0;gnu-4;c++20"
#include "tone.hpp"

#include <marey/core/plugin.hpp>

namespace {
const zoo::Trace trace("MAREY_ZOO_OTHER_ABI");
}

MAREY_PLUGIN("other_abi", "1") { registry.add<zoo::Tone, zoo::Beep>("Beep", "one short tone"); }
