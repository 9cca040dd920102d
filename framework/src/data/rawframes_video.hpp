// One video to a folder of pictures.
#pragma once
#include <marey/data/rawframes.hpp>

#include <cstdint>
#include <filesystem>

namespace marey::data {

// Writes into a hidden folder beside `folder`, then renames it. Returns the count of frames; throws Error,
// and leaves nothing behind.
std::int64_t write_rawframes(const std::filesystem::path& video, const std::filesystem::path& folder,
                             const RawframesOptions&);

}  // namespace marey::data
