#include "checkpoint.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/train/checkpoint.hpp>

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <set>
#include <vector>

namespace fs = std::filesystem;

namespace marey::hooks {
namespace {

// The step in a name like step_000012000; -1: another name.
std::int64_t step_in(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const std::size_t digits = name.rfind('_') + 1;
  std::int64_t step = -1;
  const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), step);
  return error == std::errc{} && end == name.data() + name.size() ? step : -1;
}

}  // namespace

Schema<Checkpoint::Params> Checkpoint::schema() {
  return Schema<Params>{}
      .arg<&Params::interval_epochs>(
          {.doc = "save after this many epochs; 0: only by steps and at the end", .unit = "epochs", .min = 0})
      .arg<&Params::interval_steps>(
          {.doc = "save after this many optimizer steps too; 0: never", .unit = "steps", .min = 0})
      .arg<&Params::keep_last>({.doc = "how many of those stay; 0: all", .min = 0})
      .arg<&Params::monitor>(
          {.doc =
               "metric by which the best are kept, for example \"val/top1\"; empty: none is kept for that"})
      .arg<&Params::mode>({.doc = "whether a larger or a smaller value is better"})
      .arg<&Params::keep_best>({.doc = "how many of the best stay, whatever the intervals", .min = 0})
      .arg<&Params::max_failures>(
          {.doc =
               "failed saves in a row that end the run; before that it goes on with a warning, and the older "
               "checkpoints stand",
           .min = 1});
}

std::string Checkpoint::check(const Params& p) {
  if (p.monitor.empty() && p.keep_best > 1) return "keep_best needs a monitor, for example \"val/top1\"";
  return {};
}

void Checkpoint::prepare(Run& run) {
  if (!p_.monitor.empty()) check_monitor(run, "Checkpoint", p_.monitor);
}

// After a resume: what is entered but not there (another run folder, removed by hand) counts no more, and
// best.json may be newer than the checkpoint.
void Checkpoint::run_begin(Run& run) {
  std::set<std::int64_t> present;
  for (const fs::path& folder : list_checkpoints(run.folder / "checkpoints")) present.insert(step_in(folder));
  for (const Saved& s : std::vector<Saved>(ledger_.all()))
    if (!present.contains(s.step)) ledger_.forget(s.step);
  name_best(run);
}

void Checkpoint::eval_end(Run& run) {
  if (p_.monitor.empty() || run.interrupted) return;  // interrupted: the evaluation was broken off
  const auto found = run.metrics.find(p_.monitor);
  if (found == run.metrics.end())
    throw Error(
        fmt::format("Checkpoint: the evaluation gave no \"{}\"; check the metric that should", p_.monitor));
  value_ = found->second;
}

// Steps at the end of an epoch are saved there, after its evaluation.
bool Checkpoint::is_regular(const Run& run) const {
  if (run.interrupted || run.stop) return true;
  const std::int64_t step = run.progress.step, epoch = run.epoch + 1;
  const bool by_step = p_.interval_steps > 0 && step > 0 && step % p_.interval_steps == 0;
  if (!run.end_of_epoch) return by_step && !run.step_skipped && run.micro_in_epoch + 1 < run.micro_per_epoch;
  if (epoch >= run.progress.max_epochs) return true;
  return by_step || (p_.interval_epochs > 0 && epoch % p_.interval_epochs == 0);
}

// The last chance to save what the run has learned.
bool Checkpoint::must_not_fail(const Run& run) const {
  return run.interrupted || run.stop || (run.end_of_epoch && run.epoch + 1 >= run.progress.max_epochs);
}

void Checkpoint::checkpoint_due(Run& run) {
  if (written_here_) return;
  const bool regular = is_regular(run);
  if (!regular && !(value_ && ledger_.would_be_best(*value_))) return;
  write(run, {.step = run.progress.step, .epoch = run.epoch, .regular = regular, .value = value_});
}

void Checkpoint::write(Run& run, Saved saved) {
  // Entered first: the checkpoint holds this hook's state, and after a resume it must know itself.
  const Ledger before = ledger_;
  const std::int64_t failures = failures_;
  ledger_.add(saved);
  failures_ = 0;
  try {
    run.save_checkpoint();
  } catch (const std::exception& e) {
    ledger_ = before;
    failures_ = failures;
    return failed(run, e);
  }
  written_here_ = true;
  name_best(run);
  prune(run);
}

void Checkpoint::failed(const Run& run, const std::exception& e) {
  ++failures_;
  const std::string what =
      fmt::format("the checkpoint of step {} could not be saved: {}", run.progress.step, e.what());
  if (must_not_fail(run))
    throw CheckpointError(
        what +
        "; the older checkpoints stand, but what came after them is lost. Make room, then use "
        "--resume");
  if (failures_ >= p_.max_failures)
    throw CheckpointError(
        fmt::format("{}; that is {} failures in a row, so the run ends. The older checkpoints stand: "
                    "make room, then use --resume",
                    what, failures_));
  log::warning(fmt::format("{}; the run goes on, the older checkpoints stand", what));
}

// Removes only what this run wrote and entered; other folders are not its business.
void Checkpoint::prune(const Run& run) {
  const auto folders = list_checkpoints(run.folder / "checkpoints");
  for (const Saved& s : ledger_.superfluous()) {
    ledger_.forget(s.step);
    for (const fs::path& folder : folders) {
      if (step_in(folder) != s.step) continue;
      try {
        remove_checkpoint(folder);
      } catch (const std::exception& e) {
        log::warning(fmt::format("an old checkpoint stays: {}", e.what()));
      }
    }
  }
}

// checkpoints/best.json lists the best, best first.
void Checkpoint::name_best(const Run& run) const {
  if (p_.monitor.empty()) return;
  const fs::path checkpoints = run.folder / "checkpoints";
  nlohmann::json list = nlohmann::json::array();
  for (const Saved& s : ledger_.best())
    for (const fs::path& folder : list_checkpoints(checkpoints))
      if (step_in(folder) == s.step)
        list.push_back({{"checkpoint", folder.filename().string()},
                        {"step", s.step},
                        {"epoch", s.epoch},
                        {"value", *s.value}});
  if (list.empty()) return;
  const nlohmann::json document = {
      {"monitor", p_.monitor}, {"mode", p_.mode == Better::max ? "max" : "min"}, {"best", list}};
  try {
    write_file_atomically(checkpoints / "best.json", document.dump(2) + "\n");
  } catch (const std::exception& e) {
    log::warning(fmt::format("best.json could not be written: {}", e.what()));
  }
}

State Checkpoint::save() const {
  State state;
  state.values = {{"saved", ledger_.to_json()}, {"monitor", p_.monitor}};
  return state;
}

void Checkpoint::load(const State& state) {
  if (!state.values.contains("saved")) return;
  ledger_.from_json(state.values.at("saved"));
  if (state.values.value("monitor", std::string()) == p_.monitor) return;
  // Another metric is watched now: what was kept for the old one competes by age.
  for (Saved s : std::vector<Saved>(ledger_.all())) {
    s.regular = true;
    s.value.reset();
    ledger_.add(s);
  }
}

}  // namespace marey::hooks
