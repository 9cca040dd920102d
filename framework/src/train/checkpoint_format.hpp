// Names and numbers that the writer and the readers of checkpoints share.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace marey::checkpoint_format {

inline constexpr int version = 1;
inline constexpr const char* model_file = "model.safetensors";
inline constexpr const char* optimizer_file = "optimizer.safetensors";
inline constexpr const char* hooks_file = "hooks.safetensors";  // tensors are named "<hook's key>/<name>"
inline constexpr const char* state_file = "state.json";
inline constexpr const char* manifest_file = "manifest.json";
inline constexpr const char* last_file = "last.json";
inline constexpr const char* bytes_key = "bytes";
inline constexpr const char* hash_key = "xxh3_128";

std::string folder_name(std::int64_t step);                                // "step_000012000"
std::optional<std::int64_t> step_of(const std::filesystem::path& folder);  // nullopt: no checkpoint's name

// Names that no reader takes for a checkpoint. They end in the number of the process that works on them.
std::filesystem::path writing_name(const std::filesystem::path& folder);   // ".writing-step_000012000-4711"
std::filesystem::path removing_name(const std::filesystem::path& folder);  // ".removing-step_000012000-4711"

}  // namespace marey::checkpoint_format
