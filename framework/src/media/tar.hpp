// The headers of a tar archive (POSIX.1-2001, "pax").
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace marey::media {

constexpr std::int64_t tar_block = 512;

inline std::int64_t tar_padded(std::int64_t bytes) { return (bytes + tar_block - 1) / tar_block * tar_block; }

// What stands before a member's bytes: one block, or three for a name of more than 100 bytes. A name is
// relative and stays below where it is unpacked: roots and `..` are taken off.
std::string tar_header(std::string_view name, std::int64_t bytes);

}  // namespace marey::media
