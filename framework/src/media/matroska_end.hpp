// Whether a matroska or webm file ends before its own end: such a file reads like a shorter one.
#pragma once
#include <cstdint>
#include <istream>

namespace marey::media {

// The size that the file says it has, its segment included; 0: it does not say, or is no matroska file.
std::int64_t matroska_size(std::istream&);

}  // namespace marey::media
