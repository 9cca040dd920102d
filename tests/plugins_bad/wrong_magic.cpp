// A symbol of that name which is something else.
#include "descriptor.hpp"

const marey::PluginInfo marey_plugin{0x12345678,    sizeof(marey::PluginInfo), MAREY_ABI, "wrong_magic", "1",
                                     &enrol_nothing};
