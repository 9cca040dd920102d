// Throws what is no exception.
#include <marey/core/plugin.hpp>

MAREY_PLUGIN("enrol_throws_int", "1") { throw 7; }
