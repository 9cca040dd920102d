// metrics.jsonl in the run folder: one JSON object a line, every so many steps and at each evaluation. After
// a resume the file goes on from the checkpoint: what an abandoned stretch wrote after it is cut off.
#pragma once
#include "averages.hpp"

#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>

#include <filesystem>
#include <fstream>
#include <limits>

namespace marey::hooks {

class JsonlLog final : public Hook {
 public:
  struct Params {
    std::int64_t interval = 10;
  };
  static Schema<Params> schema() {
    return Schema<Params>{}.arg<&Params::interval>(
        {.doc = "optimizer steps from line to line; a line gives means over them",
         .unit = "steps",
         .min = 1});
  }
  explicit JsonlLog(Params p) : p_(p) {}

  Role role() const override { return Role::log; }
  void run_begin(Run&) override;
  void micro_end(Run& run) override { averages_.add(run); }
  void step_end(Run&) override;
  void eval_end(Run&) override;
  void run_end(Run&) override { file_.close(); }
  State save() const override;
  void load(const State&) override;

 private:
  void write(const nlohmann::json&);

  Params p_;
  Averages averages_;
  std::filesystem::path path_;
  std::ofstream file_;
  std::int64_t lines_ = 0;  // in the file
  std::int64_t resume_at_ =
      std::numeric_limits<std::int64_t>::max();  // lines that were there at the checkpoint
  bool failed_ = false;
};

// Cuts a log back to its first `lines` whole lines, and to those of steps up to `step`. Returns how many are
// left.
std::int64_t cut_log(const std::filesystem::path&, std::int64_t lines, std::int64_t step);

}  // namespace marey::hooks
