// The safetensors format: 8 bytes little-endian header length, a JSON header, the tensors' bytes without
// holes. https://github.com/huggingface/safetensors
#pragma once
#include <marey/train/state.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace marey {

using SafetensorsMetadata = std::map<std::string, std::string>;

// Writes all tensors (moved to the CPU, made contiguous) and flushes the file to disk. Throws Error with the
// reason.
void write_safetensors(const std::filesystem::path&, const TensorMap&, const SafetensorsMetadata& = {});
// Checks every bound; throws CheckpointError naming the file and what is wrong. Tensors own their memory.
TensorMap read_safetensors(const std::filesystem::path&, SafetensorsMetadata* = nullptr);

}  // namespace marey
