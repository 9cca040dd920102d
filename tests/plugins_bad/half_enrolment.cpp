// Fails half-way: what it added must go again.
#include "tone.hpp"

#include <stdexcept>

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("half_enrolment", "1") {
  registry.add<zoo::Tone, zoo::Beep>("HalfBeep", "half a tone");
  registry.alias<zoo::Tone>("OldHalfBeep", "HalfBeep", "renamed");
  throw std::runtime_error("out of breath");
}
