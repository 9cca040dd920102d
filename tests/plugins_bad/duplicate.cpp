// Offers a component that plugin "good" offers too, after one of its own.
#include "tone.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("duplicate", "1") {
  registry.add<zoo::Tone, zoo::Beep>("AnotherBeep", "one more tone");
  registry.add<zoo::Tone, zoo::Beep>("Beep", "one short tone");
}
