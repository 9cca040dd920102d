#include "jsonl_log.hpp"

#include <marey/core/files.hpp>
#include <marey/core/log.hpp>

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace marey::hooks {

std::int64_t cut_log(const fs::path& path, std::int64_t lines, std::int64_t step) {
  if (!fs::exists(path)) return 0;
  const std::string text = read_file(path);
  std::string kept;
  std::int64_t count = 0;
  for (std::size_t at = 0; count < lines;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // torn by a crash
    const auto entry = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(at),
                                             text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (!entry.is_object() || entry.value("step", std::int64_t{0}) > step) break;
    kept.append(text, at, end + 1 - at);
    at = end + 1;
    ++count;
  }
  if (kept.size() != text.size()) write_file_atomically(path, kept);
  return count;
}

void JsonlLog::run_begin(Run& run) {
  path_ = run.folder / "metrics.jsonl";
  try {
    lines_ = run.progress.step > 0 ? cut_log(path_, resume_at_, run.progress.step) : 0;
  } catch (const std::exception& e) {
    log::warning(fmt::format("{}: cannot be continued: {}", path_.string(), e.what()));
  }
  file_.open(path_, std::ios::binary | std::ios::app);
}

void JsonlLog::write(const nlohmann::json& entry) {
  file_ << entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n' << std::flush;
  if (file_) {
    ++lines_;
  } else if (!failed_) {  // a full disk is no reason to lose the run
    failed_ = true;
    log::warning(fmt::format("{}: cannot be written; the run goes on without it", path_.string()));
  }
}

void JsonlLog::step_end(Run& run) {
  averages_.step(run);
  if (run.step_skipped || run.progress.step % p_.interval != 0) return;
  const Summary s = averages_.take();
  nlohmann::json entry = {
      {"kind", "train"}, {"epoch", run.epoch}, {"step", run.progress.step}, {"samples", run.samples_seen}};
  for (const auto& [name, mean] : s.means) entry[name] = mean;
  if (run.optimizer && !run.optimizer->groups().empty()) entry["lr"] = run.optimizer->groups()[0].lr;
  for (const auto& [name, value] : extra_scalars(run)) entry[name] = value;
  entry["clips_per_second"] = s.clips_per_second;
  entry["data_share"] = s.data_share;
  write(entry);
}

void JsonlLog::eval_end(Run& run) {
  if (run.metrics.empty()) return;  // broken off
  nlohmann::json entry = {{"kind", "eval"}, {"epoch", run.epoch}, {"step", run.progress.step}};
  for (const auto& [name, value] : run.metrics) entry[name] = value;
  write(entry);
}

State JsonlLog::save() const { return {.values = {{"averages", averages_.save()}, {"lines", lines_}}}; }

void JsonlLog::load(const State& state) {
  if (!state.values.contains("lines")) return;
  averages_.load(state.values.value("averages", nlohmann::json()));
  resume_at_ = lines_ = state.values.value("lines", std::int64_t{0});
}

}  // namespace marey::hooks
