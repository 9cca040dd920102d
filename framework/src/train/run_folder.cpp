#include "train/environment.hpp"

#include <marey/core/error.hpp>
#include <marey/train/checkpoint.hpp>
#include <marey/train/run_folder.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace marey {
namespace {

namespace fs = std::filesystem;

constexpr const char *latest_name = "latest", *checkpoints_name = "checkpoints";

std::string_view name(log::Level level) {
  switch (level) {
    case log::Level::debug:
      return "debug";
    case log::Level::info:
    case log::Level::plain:
      return "info";
    case log::Level::warning:
      return "warning";
    case log::Level::error:
      return "error";
  }
  return "";
}

FileLock lock(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(fmt::format("{}: the run folder cannot be made: {}; choose another with --run-folder",
                            folder.string(), error.message()));
  try {
    return FileLock(folder / ".lock");
  } catch (const FileLock::Held&) {
    throw UsageError(fmt::format(
        "{}: this run folder is in use by another run; wait for its end, or choose another folder with "
        "--run-folder",
        folder.string()));
  } catch (const Error& e) {
    throw Error(fmt::format("{}: the run folder cannot be used: {}; choose another with --run-folder",
                            folder.string(), e.what()));
  }
}

// Made beside and moved into place, so that there is a link at any time. A file system without links does
// without.
void point_latest_to(const fs::path& folder) {
  const fs::path parent = folder.parent_path(), temporary = parent / fmt::format(".latest-{}", ::getpid());
  const fs::path link = parent / latest_name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(link, error)) && !fs::is_symlink(fs::symlink_status(link, error))) return;
  fs::remove(temporary, error);
  fs::create_directory_symlink(folder.filename(), temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (error) fs::remove(temporary, error);
}

std::vector<fs::path> runs_newest_first(const fs::path& runs_of_recipe) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(runs_of_recipe, error), end; !error && at != end; at.increment(error))
    if (fs::is_directory(at->symlink_status(error))) out.push_back(at->path());
  // By the last save; names, which hold the time of the start, decide between equals.
  std::ranges::sort(out, [](const fs::path& a, const fs::path& b) {
    std::error_code ignored;
    const auto at = [&](const fs::path& p) {
      return std::pair(fs::last_write_time(p / checkpoints_name, ignored), p.filename().string());
    };
    return at(a) > at(b);
  });
  return out;
}

}  // namespace

fs::path new_run_folder(const fs::path& runs, const std::string& recipe_name) {
  const std::time_t now = std::time(nullptr);
  const fs::path parent = runs / recipe_name;
  const std::string stem = fmt::format("{:%Y-%m-%d_%H-%M-%S}", fmt::localtime(now));
  std::error_code ignored;
  fs::path out = parent / stem;
  for (int i = 2; fs::exists(out, ignored); ++i) out = parent / fmt::format("{}-{}", stem, i);
  return out;
}

std::optional<ResumePoint> find_resume_point(const std::string& wanted, const fs::path& runs_of_recipe) {
  const auto newest = [](const fs::path& run, std::vector<std::string>* skipped) {
    return newest_valid_checkpoint(run / checkpoints_name, skipped);
  };
  const auto report = [](const std::vector<std::string>& skipped) {
    for (const auto& why : skipped) log::warning(fmt::format("passed over: {}", why));
  };
  std::vector<std::string> skipped;
  if (wanted == "auto") {
    for (const fs::path& run : runs_newest_first(runs_of_recipe)) {
      const auto checkpoint = newest(run, &skipped);
      report(std::exchange(skipped, {}));
      if (checkpoint) return ResumePoint{run, *checkpoint};
    }
    return std::nullopt;
  }
  std::error_code error;
  const fs::path path = fs::canonical(wanted, error);
  if (error) throw CheckpointError(fmt::format("{}: cannot be resumed: {}", wanted, error.message()));
  if (path.parent_path().filename() == checkpoints_name) {
    verify_checkpoint(path);
    return ResumePoint{path.parent_path().parent_path(), path};
  }
  const fs::path run = path.filename() == checkpoints_name ? path.parent_path() : path;
  const auto checkpoint = newest(run, &skipped);
  report(skipped);
  if (!checkpoint)
    throw CheckpointError(
        fmt::format("{}: nothing to resume from: expected a run folder with a checkpoint that is whole, or "
                    "such a checkpoint",
                    wanted));
  return ResumePoint{run, *checkpoint};
}

// Errors of writing are no reason to lose the run: the messages stand on the terminal too.
struct RunFolder::LogFile {
  explicit LogFile(const fs::path& path)
      : file(path, std::ios::app), sink([this](log::Level level, std::string_view message) {
          const std::lock_guard lock(mutex);
          file << fmt::format("{:%Y-%m-%d %H:%M:%S} {}: {}\n", fmt::localtime(std::time(nullptr)),
                              name(level), message);
          file.flush();
          file.clear();
        }) {}
  std::mutex mutex;
  std::ofstream file;
  log::Sink sink;
};

RunFolder::RunFolder(fs::path folder, bool resumes) : folder_(std::move(folder)), lock_(lock(folder_)) {
  if (!resumes && !list_checkpoints(checkpoints()).empty())
    throw UsageError(fmt::format(
        "{}: this run folder holds checkpoints already; go on with --resume {}, or choose another folder",
        folder_.string(), folder_.string()));
  log_ = std::make_unique<LogFile>(folder_ / "train.log");
  remove_leftovers(checkpoints());
}

RunFolder::~RunFolder() = default;

void RunFolder::describe(const Value& resolved_recipe, std::string_view device) const {
  write_file_atomically(folder_ / "recipe.toml", to_toml(resolved_recipe));
  write_file_atomically(folder_ / "env.json", environment(device).dump(2) + "\n");
  point_latest_to(folder_);
}

}  // namespace marey
