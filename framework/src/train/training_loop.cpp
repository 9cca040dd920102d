#include "train/training_loop.hpp"

#include "train/numerics.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace marey {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void drop_gradients(const Model& model) {
  for (const at::Tensor& parameter : model.parameters()) parameter.mutable_grad().reset();
}

at::Tensor checked_loss(const TrainOutput& output) {
  if (!output.loss.defined() || output.loss.numel() != 1)
    throw Error("the model's train_step() gave no scalar loss");
  return output.loss;
}

}  // namespace

void TrainingLoop::run() {
  s_.hooks.at(&Hook::run_begin, s_.run);
  s_.update_progress();
  s_.set_learning_rate();
  restore_generators(s_.position > 0 && !s_.epoch_trained);
  while (s_.run.epoch < s_.run.progress.max_epochs && !ended()) epoch();
  s_.hooks.at(&Hook::run_end, s_.run);
}

// Hooks may draw numbers where a run or an epoch begins; a resumed run begins twice.
void TrainingLoop::restore_generators(bool keep) {
  if (s_.generators) load_generators(*s_.generators, s_.run.device);
  if (!keep) s_.generators.reset();
}

void TrainingLoop::epoch() {
  s_.run.end_of_epoch = false;
  if (!s_.epoch_trained) train_epoch();
  if (ended()) return;
  if (s_.evaluation_due()) evaluate();
  s_.run.end_of_epoch = !s_.run.interrupted;  // an evaluation that was broken off is done again
  s_.saved_here = false;
  boundary();
  if (!s_.run.end_of_epoch) return;
  s_.run.end_of_epoch = false;
  ++s_.run.epoch;
  s_.position = 0;
  s_.epoch_trained = false;
}

void TrainingLoop::train_epoch() {
  Run& run = s_.run;
  run.model->train();
  s_.hooks.at(&Hook::epoch_begin, run);
  restore_generators(false);
  s_.loader->start(static_cast<std::uint64_t>(run.epoch), s_.position);
  for (;;) {
    const auto begin = Clock::now();
    auto batch = s_.loader->next();
    run.data_seconds = seconds_since(begin);
    if (!batch) break;
    s_.position = s_.loader->position();
    micro_step(std::move(*batch));
    if (!s_.at_boundary) continue;
    boundary();
    if (ended()) return;
  }
  s_.epoch_trained = true;
  s_.hooks.at(&Hook::epoch_end, run);
}

void TrainingLoop::micro_step(data::Batch loaded) {
  Run& run = s_.run;
  const auto begin = Clock::now();
  if (s_.at_boundary) s_.set_learning_rate();
  s_.at_boundary = s_.saved_here = false;
  const auto& pixels = loaded.pixels;  // [N, V, C, T, H, W]
  if (!std::exchange(seen_batch_, true))
    if (const auto why = run.model->refuses(pixels.size(3), pixels.size(4), pixels.size(5)); !why.empty())
      throw UsageError(fmt::format("the model does not take the clips of data.train: {}", why));
  const data::Batch batch = to_device(std::move(loaded), run.device);
  run.batch = &batch;
  run.micro_in_epoch = s_.position - 1;
  s_.hooks.at(&Hook::micro_begin, run);
  // No window reaches into the next epoch, whatever the hooks say: each epoch ends with every gradient used.
  const bool last = s_.position >= run.micro_per_epoch;
  run.step_is_due = s_.hooks.step_due(run) || last;
  {
    const auto scopes = s_.hooks.around_forward(run);
    run.output = run.model->train_step(batch);
  }
  const at::Tensor loss = s_.hooks.map_loss(run, checked_loss(run.output));
  loss.backward();
  run.output.loss = run.output.loss.detach();

  const at::Tensor value = run.output.loss.to(at::kDouble);
  window_loss_ = window_ == 0 ? value : window_loss_ + value;
  ++window_;
  window_sources_.insert(window_sources_.end(), batch.sources.begin(), batch.sources.end());
  run.samples_seen += batch.size();
  run.step_seconds = seconds_since(begin);
  window_seconds_ += run.step_seconds;
  s_.hooks.at(&Hook::micro_end, run);
  if (run.step_is_due) step();
  run.batch = nullptr;
}

void TrainingLoop::step() {
  Run& run = s_.run;
  const auto begin = Clock::now();
  const double loss = window_loss_.item<double>() / static_cast<double>(window_);
  const auto& groups = run.optimizer->groups();
  run.scalars["loss"] = loss;
  if (!groups.empty()) run.scalars["lr"] = groups.front().lr;
  run.overflowed = false;
  s_.hooks.gradients_ready_until(Role::scale, run);
  if (!std::isfinite(loss) && !run.overflowed) diverged(loss);
  s_.hooks.gradients_ready_after(Role::scale, run);
  run.step_skipped = !s_.hooks.allow_step(run);
  if (!run.step_skipped) {
    run.optimizer->step();
    ++run.progress.step;
  }
  run.step_seconds = window_seconds_ + seconds_since(begin);
  window_ = 0;
  window_seconds_ = 0;
  window_sources_.clear();
  ++steps_;
  s_.at_boundary = true;
  s_.hooks.at(&Hook::step_end, run);
  drop_gradients(*run.model);
}

void TrainingLoop::boundary() {
  Run& run = s_.run;
  if (should_end_()) run.interrupted = true;
  s_.hooks.at(&Hook::checkpoint_due, run);
  if (run.interrupted && !s_.saved_here) s_.save();
}

void TrainingLoop::evaluate() {
  Run& run = s_.run;
  s_.hooks.at(&Hook::eval_begin, run);
  const auto predict = [&](const data::Batch& batch) {
    run.batch = &batch;
    const auto scopes = s_.hooks.around_forward(run);
    return run.model->predict(batch);
  };
  const auto results = s_.evaluator->evaluate(*run.model, predict, should_end_);
  run.batch = nullptr;
  run.interrupted = !results;
  run.metrics = results.value_or(std::map<std::string, double>{});
  for (const auto& [key, value] : run.metrics)
    if (const auto [at, fresh] = s_.best.emplace(key, value);
        !fresh && (value > at->second || std::isnan(at->second)))
      at->second = value;
  s_.hooks.at(&Hook::eval_end, run);
}

void TrainingLoop::diverged(double loss) const {
  const Run& run = s_.run;
  constexpr std::size_t shown = 4;
  const auto end =
      window_sources_.begin() + static_cast<std::ptrdiff_t>(std::min(shown, window_sources_.size()));
  throw DivergenceError(fmt::format(
      "the loss is {} at step {} of epoch {}, with lr = {:g}; the weights were not updated\n"
      "  clips: {}{}\n"
      "  lower optimizer.lr, warm up for longer, or clip gradients with a hook of type GradClip; --resume "
      "goes on from "
      "the last checkpoint",
      loss, run.progress.step + 1, run.epoch + 1,
      run.optimizer->groups().empty() ? 0.0 : run.optimizer->groups().front().lr,
      fmt::join(window_sources_.begin(), end, ", "), window_sources_.size() > shown ? ", …" : ""));
}

}  // namespace marey
