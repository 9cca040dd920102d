// A descriptor with a field more than the host knows.
#include "descriptor.hpp"

const marey::PluginInfo marey_plugin{
    marey::plugin_magic, sizeof(marey::PluginInfo) + 8, MAREY_ABI, "wrong_size", "1", &enrol_nothing};
