// A shared library like any other. Its static constructor must not run.
#include "tone.hpp"

namespace {
const zoo::Trace trace("MAREY_ZOO_NO_NOTE");
}

extern "C" int answer() { return 42; }
