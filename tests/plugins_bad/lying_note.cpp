// Its note says this host, its descriptor another one.
#include "descriptor.hpp"

const marey::PluginInfo marey_plugin{
    marey::plugin_magic, sizeof(marey::PluginInfo), "marey-0", "lying_note", "1", &enrol_nothing};
