// Has the note but not the symbol.
#include <marey/core/plugin.hpp>

__attribute__((section(".note.marey"), used, aligned(4))) static constexpr marey::AbiNote<sizeof(MAREY_ABI)>
    note{MAREY_ABI};
