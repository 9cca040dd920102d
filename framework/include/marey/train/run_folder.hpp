// Where a run keeps what it makes: runs/<recipe>/<time>/{recipe.toml, env.json, train.log, checkpoints/, …},
// and a link runs/<recipe>/latest to the newest.
#pragma once
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/core/value.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace marey {

// A folder name for a run that starts now, "runs/slowfast/2026-07-01_18-30-00"; one that is taken gets "-2".
// Creates nothing.
std::filesystem::path new_run_folder(const std::filesystem::path& runs, const std::string& recipe_name);

struct ResumePoint {
  std::filesystem::path folder, checkpoint;  // of the run, and of the checkpoint in it
};
// `wanted`: "auto" is the newest run of the recipe that has a checkpoint which verifies, nullopt where there
// is none; a path is a run folder or a checkpoint, CheckpointError where it has nothing to resume from.
// `runs_of_recipe`: "runs/slowfast".
std::optional<ResumePoint> find_resume_point(const std::string& wanted,
                                             const std::filesystem::path& runs_of_recipe);

// A run folder in use: locked against other processes, and train.log gets what is logged. Until it is
// destroyed.
class RunFolder {
 public:
  // Creates the folder where needed. Throws UsageError when another run uses it, or when it holds checkpoints
  // and the run does not resume.
  RunFolder(std::filesystem::path folder, bool resumes);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;

  // recipe.toml and env.json, and the link `latest`.
  void describe(const Value& resolved_recipe, std::string_view device) const;

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path checkpoints() const { return folder_ / "checkpoints"; }

 private:
  struct LogFile;
  std::filesystem::path folder_;
  FileLock lock_;
  std::unique_ptr<LogFile> log_;
};

}  // namespace marey
