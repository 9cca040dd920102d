// Fails half-way: what it added must go again.
#include "tone.hpp"

#include <marey/core/plugin.hpp>

#include <stdexcept>

MAREY_PLUGIN("half_enrolment", "1") {
  registry.add<zoo::Tone, zoo::Beep>("HalfBeep", "half a tone");
  registry.alias<zoo::Tone>("OldHalfBeep", "HalfBeep", "renamed");
  throw std::runtime_error("out of breath");
}
