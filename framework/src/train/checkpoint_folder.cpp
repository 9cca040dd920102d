#include "train/checkpoint_format.hpp"
#include "train/fault.hpp"

#include <marey/core/error.hpp>
#include <marey/train/checkpoint.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace fs = std::filesystem;

namespace marey {
namespace checkpoint_format {
namespace {

constexpr std::string_view prefix = "step_", writing = ".writing-", removing = ".removing-";

template <class Number>
std::optional<Number> number(std::string_view digits) {
  Number out{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || out < 0)
    return std::nullopt;
  return out;
}

fs::path marked(const fs::path& folder, std::string_view mark) {
  return folder.parent_path() / fmt::format("{}{}-{}", mark, folder.filename().string(), ::getpid());
}

}  // namespace

std::string folder_name(std::int64_t step) { return fmt::format("{}{:09}", prefix, step); }

std::optional<std::int64_t> step_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto step = number<std::int64_t>(std::string_view(name).substr(prefix.size()));
  return step && folder_name(*step) == name ? step : std::nullopt;
}

fs::path writing_name(const fs::path& folder) { return marked(folder, writing); }
fs::path removing_name(const fs::path& folder) { return marked(folder, removing); }

// Whether a folder is what a process that is gone left behind.
bool is_leftover(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(writing) && !name.starts_with(removing)) return false;
  const auto pid = number<pid_t>(std::string_view(name).substr(name.rfind('-') + 1));
  return pid && *pid > 0 && ::kill(*pid, 0) != 0 && errno == ESRCH;
}

}  // namespace checkpoint_format

std::vector<fs::path> list_checkpoints(const fs::path& checkpoints) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(checkpoints, error), end; !error && at != end; at.increment(error))
    if (checkpoint_format::step_of(at->path()) && at->is_directory(error)) out.push_back(at->path());
  std::ranges::sort(out, {}, [](const fs::path& p) { return *checkpoint_format::step_of(p); });
  return out;
}

std::optional<fs::path> newest_valid_checkpoint(const fs::path& checkpoints,
                                                std::vector<std::string>* skipped) {
  auto all = list_checkpoints(checkpoints);
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    try {
      verify_checkpoint(*at);
      return *at;
    } catch (const CheckpointError& e) {
      if (skipped) skipped->push_back(e.what());
    }
  }
  return std::nullopt;
}

void remove_checkpoint(const fs::path& folder) {
  const fs::path hidden = checkpoint_format::removing_name(folder);
  std::error_code error;
  fs::remove_all(hidden, error);
  fs::rename(folder, hidden, error);
  if (error) throw Error(fmt::format("{}: cannot be removed: {}", folder.string(), error.message()));
  fault_point("ckpt.remove");
  fs::remove_all(hidden, error);
  if (error) throw Error(fmt::format("{}: cannot be removed: {}", hidden.string(), error.message()));
}

std::vector<fs::path> remove_leftovers(const fs::path& checkpoints) {
  std::vector<fs::path> found, removed;
  std::error_code error;
  for (fs::directory_iterator at(checkpoints, error), end; !error && at != end; at.increment(error))
    if (checkpoint_format::is_leftover(at->path())) found.push_back(at->path());
  for (const fs::path& folder : found) {
    fs::remove_all(folder, error);
    if (!error) removed.push_back(folder);
  }
  return removed;
}

}  // namespace marey
