#include "train/checkpoint_format.hpp"
#include "train/fault.hpp"
#include "train/file_descriptor.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/train/checkpoint.hpp>
#include <marey/train/safetensors.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace fs = std::filesystem;

namespace marey {
namespace {

namespace format = checkpoint_format;

std::uint64_t bytes_of(const TensorMap& tensors) {
  std::uint64_t out = 0;
  for (const auto& [name, tensor] : tensors)
    if (tensor.defined()) out += static_cast<std::uint64_t>(tensor.numel()) * tensor.element_size();
  return out;
}

// A disk that is nearly full is better found before anything is written than in the middle.
void check_space(const fs::path& folder, std::uint64_t bytes) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return;  // some file systems do not say; writing will tell
  const double free = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
  const double wanted = 1.2 * static_cast<double>(bytes);
  if (free < wanted)
    throw Error(fmt::format("{}: a checkpoint needs {:.1f} MiB here (with reserve), {:.1f} MiB are free",
                            folder.string(), wanted / (1 << 20), free / (1 << 20)));
}

void write_text(const fs::path& path, const std::string& text) {
  auto file = FileDescriptor::create(path);
  file.write(text.data(), text.size());
  file.sync_and_close();
}

nlohmann::json full_state(const Checkpoint& c) {
  nlohmann::json out = c.state;
  out["format"] = format::version;
  out["optimizer"] = c.optimizer.values;
  out["hooks"] = nlohmann::json::object();
  for (const auto& [key, state] : c.hooks) out["hooks"][key] = state.values;
  return out;
}

TensorMap hook_tensors(const Checkpoint& c) {
  TensorMap out;
  for (const auto& [key, state] : c.hooks) {
    if (key.find('/') != std::string::npos)
      throw Error(fmt::format("hooks.{}: a hook's key cannot hold a '/'", key));
    for (const auto& [name, tensor] : state.tensors) out.emplace(fmt::format("{}/{}", key, name), tensor);
  }
  return out;
}

void write_manifest(const fs::path& folder) {
  auto files = nlohmann::json::object();
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = {{format::bytes_key, fs::file_size(entry.path())},
                                               {format::hash_key, xxh3_file(entry.path())}};
  // Without blanks, so that no bit of it is without meaning.
  write_text(folder / format::manifest_file,
             nlohmann::json{{"files", files}, {"format", format::version}}.dump() + "\n");
}

// Puts the finished folder in its place. One of the same step that is there already is swapped out in one
// move.
void publish(const fs::path& written, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (::renameat2(AT_FDCWD, written.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
      fs::remove_all(written, error);
      return;
    }
    remove_checkpoint(folder);  // a file system without that call
  }
  fs::rename(written, folder);
}

void write_files(const fs::path& temporary, const Checkpoint& c, const TensorMap& hooks) {
  write_safetensors(temporary / format::model_file, c.model, {{"format", "pt"}});
  write_safetensors(temporary / format::optimizer_file, c.optimizer.tensors);
  if (!hooks.empty()) write_safetensors(temporary / format::hooks_file, hooks);
  fault_point("ckpt.state");
  write_text(temporary / format::state_file, full_state(c).dump(1) + "\n");
  fault_point("ckpt.manifest");
  write_manifest(temporary);
  fsync_folder(temporary);
}

// For people and scripts; no reader here depends on it, so a failure does not make the save one.
void name_last(const fs::path& folder, std::int64_t step) {
  try {
    fault_point("ckpt.last");
    write_file_atomically(
        folder.parent_path() / format::last_file,
        nlohmann::json{{"checkpoint", folder.filename().string()}, {"step", step}}.dump() + "\n");
  } catch (const Error& e) {
    log::warning(fmt::format("{} is saved, but last.json does not name it: {}", folder.string(), e.what()));
  }
}

}  // namespace

fs::path write_checkpoint(const fs::path& checkpoints, const Checkpoint& c) {
  const fs::path folder = checkpoints / format::folder_name(c.step());
  const fs::path temporary = format::writing_name(folder);
  try {
    const TensorMap hooks = hook_tensors(c);
    fs::create_directories(checkpoints);
    check_space(checkpoints, bytes_of(c.model) + bytes_of(c.optimizer.tensors) + bytes_of(hooks));
    fs::remove_all(temporary);
    fs::create_directory(temporary);
    fault_point("ckpt.begin");
    write_files(temporary, c, hooks);
    fault_point("ckpt.rename");
    publish(temporary, folder);
    fault_point("ckpt.renamed");
    fsync_folder(checkpoints);
    name_last(folder, c.step());
    fault_point("ckpt.done");
    return folder;
  } catch (const std::exception& e) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw Error(fmt::format("{}: the checkpoint was not saved: {}", folder.string(), e.what()));
  }
}

}  // namespace marey
