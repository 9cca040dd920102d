// A descriptor without a name.
#include "descriptor.hpp"

const marey::PluginInfo marey_plugin{marey::plugin_magic, sizeof(marey::PluginInfo), MAREY_ABI, nullptr, "1",
                                     &enrol_nothing};
