// Reads what a shared library says about itself without loading it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace marey {

// The ABI string in the ELF note "marey" of a shared library, nullopt when it has no such note. Every offset
// in the file is checked before it is followed. Throws Error, without the file's name, when this is no
// complete ELF shared library of this machine: the dynamic linker would crash on a truncated one instead of
// refusing it.
std::optional<std::string> read_abi_note(const std::filesystem::path&);

}  // namespace marey
