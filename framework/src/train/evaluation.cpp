#include "train/evaluation.hpp"

#include <marey/core/error.hpp>
#include <marey/train/runner.hpp>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace marey {
namespace {

constexpr const char *count_key = "count", *views_key = "views";

// Evaluation mode while it lives.
class EvaluationMode {
 public:
  explicit EvaluationMode(Model& model) : model_(model), was_training_(model.is_training()) { model_.eval(); }
  ~EvaluationMode() { model_.train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;

 private:
  Model& model_;
  bool was_training_;
};

at::Tensor checked(const at::Tensor& scores, const data::Batch& batch) {
  if (!scores.defined() || scores.dim() != 2 || scores.size(0) != batch.size())
    throw Error(
        fmt::format("the model's predict() gave scores of {} dimensions for a batch of {}; expected [{}, K]",
                    scores.defined() ? scores.dim() : 0, batch.size(), batch.size()));
  return scores.to(at::kCPU, at::kFloat);
}

}  // namespace

data::LoaderOptions loader_options(const Experiment& e, bool training) {
  const auto& l = e.loader;
  return {.batch_size = training ? l.batch_size : l.test_batch_size,
          .threads =
              l.threads > 0 ? l.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency())),
          .prefetch = l.prefetch,
          .training = training,
          .drop_last = training && l.drop_last,
          .seed = e.seed,
          .on_error = l.on_error == "skip" ? data::BadFilePolicy::skip : data::BadFilePolicy::fail,
          .max_bad_fraction = l.max_bad_fraction};
}

data::Batch to_device(data::Batch batch, c10::Device device) {
  if (device.is_cpu()) return batch;
  batch.pixels = batch.pixels.to(device, /*non_blocking=*/true);
  batch.labels = batch.labels.to(device, /*non_blocking=*/true);
  return batch;
}

Evaluator::Evaluator(std::shared_ptr<const Dataset> dataset, const Experiment& e, c10::Device device,
                     std::string prefix, const std::filesystem::path& bad_samples_log)
    : device_(device), prefix_(prefix.empty() ? prefix : prefix + "/"), loader_(std::move(dataset), [&] {
        auto options = loader_options(e, false);
        options.bad_samples_log = bad_samples_log;
        return options;
      }()) {
  for (const auto& part : e.metrics) metrics_.push_back(part.make());
}

std::vector<std::string> Evaluator::keys() const {
  std::vector<std::string> out;
  for (const auto& metric : metrics_)
    for (const auto& key : metric->keys()) out.push_back(prefix_ + key);
  for (const char* key : {count_key, views_key})
    if (std::ranges::find(out, prefix_ + key) == out.end()) out.push_back(prefix_ + key);
  return out;
}

std::optional<std::map<std::string, double>> Evaluator::evaluate(Model& model, const Predict& predict,
                                                                 const std::function<bool()>& cancelled) {
  const EvaluationMode mode(model);
  // Not inference mode: a tensor that the model keeps from here would be of no use in the next training step.
  const at::NoGradGuard no_grad;
  for (const auto& metric : metrics_) metric->reset();
  std::int64_t count = 0, views = 0;
  loader_.start(0);
  while (auto loaded = loader_.next()) {
    if (cancelled && cancelled()) return std::nullopt;
    if (count == 0)
      if (const auto why =
              model.refuses(loaded->pixels.size(3), loaded->pixels.size(4), loaded->pixels.size(5));
          !why.empty())
        throw UsageError(fmt::format("the model does not take these clips: {}", why));
    const data::Batch host = *loaded;
    const data::Batch batch = to_device(std::move(*loaded), device_);
    const at::Tensor scores = checked(predict ? predict(batch) : model.predict(batch), batch);
    for (const auto& metric : metrics_) metric->update(scores, host);
    count += host.size();
    views = host.pixels.size(1);
  }
  std::map<std::string, double> out;
  for (const auto& metric : metrics_)
    for (const auto& [key, value] : metric->compute()) out[prefix_ + key] = value;
  out.emplace(prefix_ + count_key, static_cast<double>(count));
  out.emplace(prefix_ + views_key, static_cast<double>(views));
  return out;
}

std::map<std::string, double> run_evaluation(Model& model, const Dataset& dataset, const Experiment& e,
                                             c10::Device device, std::string_view prefix) {
  // Shared without ownership: the caller's data set outlives this call.
  const std::shared_ptr<const Dataset> borrowed(std::shared_ptr<const Dataset>(), &dataset);
  return *Evaluator(borrowed, e, device, std::string(prefix)).evaluate(model);
}

}  // namespace marey
