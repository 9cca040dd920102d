// Another plugin that calls itself "good".
#include "tone.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("good", "9") { registry.add<zoo::Tone, zoo::Beep>("OtherBeep", "another tone"); }
