#include "train/checkpoint_format.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/train/checkpoint.hpp>
#include <marey/train/safetensors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace fs = std::filesystem;

namespace marey {
namespace {

namespace format = checkpoint_format;
constexpr std::array required{format::model_file, format::optimizer_file, format::state_file};
constexpr std::uintmax_t longest_json = std::uintmax_t{256} << 20;

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw CheckpointError(fmt::format("{}: {}", path.string(), what));
}

std::uintmax_t size_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)))
    refuse(path, error ? error.message() : "is no regular file");
  const auto bytes = fs::file_size(path, error);
  if (error) refuse(path, error.message());
  return bytes;
}

nlohmann::json read_json(const fs::path& path) {
  if (size_of(path) > longest_json) refuse(path, "is too large");
  try {
    auto out = nlohmann::json::parse(read_file(path));
    if (!out.is_object()) refuse(path, "holds no JSON object");
    if (out.value("format", nlohmann::json{}) != format::version)
      refuse(path, fmt::format("has format {}, expected {}; it may come from a newer Marey",
                               out.value("format", nlohmann::json{}).dump(), format::version));
    return out;
  } catch (const nlohmann::json::exception& e) {
    refuse(path, fmt::format("cannot be parsed, so it is damaged ({})", e.what()));
  } catch (const CheckpointError&) {
    throw;
  } catch (const Error& e) {
    throw CheckpointError(e.what());
  }
}

void verify_file(const fs::path& path, const nlohmann::json& entry) {
  if (!entry.is_object() || entry.size() != 2 || !entry.contains(format::bytes_key) ||
      !entry.contains(format::hash_key) || !entry[format::bytes_key].is_number_unsigned() ||
      !entry[format::hash_key].is_string())
    refuse(path.parent_path() / format::manifest_file,
           fmt::format("its entry '{}' is damaged", path.filename().string()));
  const auto bytes = size_of(path);
  if (bytes != entry[format::bytes_key].get<std::uint64_t>())
    refuse(path, fmt::format("has {} bytes, the manifest says {}; it is truncated or damaged", bytes,
                             entry[format::bytes_key].dump()));
  std::string hash;
  try {
    hash = xxh3_file(path);
  } catch (const Error& e) {
    throw CheckpointError(e.what());
  }
  if (hash != entry[format::hash_key].get<std::string>())
    refuse(path, "its content does not match the manifest's XXH3-128; it is damaged");
}

// Returns the manifest's files.
nlohmann::json verified_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) refuse(folder, "is no checkpoint: there is no such folder");
  const fs::path path = folder / format::manifest_file;
  if (!fs::exists(path, error)) refuse(folder, "is no checkpoint: manifest.json is missing");
  auto manifest = read_json(path);
  if (manifest.size() != 2 || !manifest.contains("files") || !manifest["files"].is_object())
    refuse(path, "its list of files is damaged");
  auto& files = manifest["files"];
  for (const char* name : required)
    if (!files.contains(name)) refuse(path, fmt::format("does not list {}", name));
  for (const auto& [name, entry] : files.items()) {
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
      refuse(path, fmt::format("lists '{}', which is no plain file name", name));
    verify_file(folder / name, entry);
  }
  return files;
}

nlohmann::json taken(nlohmann::json& state, const char* key, const fs::path& path) {
  auto out = state.value(key, nlohmann::json::object());
  if (!out.is_object()) refuse(path, fmt::format("'{}' is no table", key));
  state.erase(key);
  return out;
}

void split_hook_tensors(Checkpoint& out, TensorMap tensors, const fs::path& path) {
  for (auto& [name, tensor] : tensors) {
    const auto slash = name.find('/');
    const auto hook = out.hooks.find(name.substr(0, slash));
    if (slash == std::string::npos || hook == out.hooks.end())
      refuse(path, fmt::format("tensor '{}' belongs to no hook of state.json", name));
    hook->second.tensors.emplace(name.substr(slash + 1), std::move(tensor));
  }
}

}  // namespace

void verify_checkpoint(const fs::path& folder) { verified_files(folder); }

Checkpoint read_checkpoint(const fs::path& folder) {
  const auto files = verified_files(folder);
  Checkpoint out;
  const fs::path state = folder / format::state_file;
  out.state = read_json(state);
  out.state.erase("format");
  if (!out.state.contains("step") || !out.state["step"].is_number_integer())
    refuse(state, "'step' is missing");
  out.optimizer.values = taken(out.state, "optimizer", state);
  const auto hooks = taken(out.state, "hooks", state);
  for (const auto& [key, values] : hooks.items()) out.hooks[key].values = values;
  out.model = read_safetensors(folder / format::model_file);
  out.optimizer.tensors = read_safetensors(folder / format::optimizer_file);
  if (files.contains(format::hooks_file))
    split_hook_tensors(out, read_safetensors(folder / format::hooks_file), folder / format::hooks_file);
  return out;
}

}  // namespace marey
