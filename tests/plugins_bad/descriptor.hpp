// What MAREY_PLUGIN writes, by hand, so that it can be wrong.
#pragma once
#include <marey/core/plugin.hpp>

__attribute__((section(".note.marey"), used, aligned(4))) static constexpr marey::AbiNote<sizeof(MAREY_ABI)>
    note{MAREY_ABI};

inline void enrol_nothing(marey::Registry&) {}

extern "C" const marey::PluginInfo marey_plugin;
