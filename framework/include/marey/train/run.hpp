// A run as its hooks see it.
#pragma once
#include <marey/core/value.hpp>
#include <marey/data/batch.hpp>
#include <marey/model/model.hpp>
#include <marey/train/optimizer.hpp>
#include <marey/train/schedule.hpp>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace marey {

class Hook;

struct Run {
  // Fixed for the whole run.
  std::string name;              // of the recipe
  std::filesystem::path folder;  // runs/<recipe>/<time>
  Value recipe;                  // resolved
  std::uint64_t seed = 0;
  c10::Device device{c10::kCPU};
  std::shared_ptr<Model> model;
  std::shared_ptr<Optimizer> optimizer;
  std::vector<std::string> class_names;
  std::vector<std::string> metric_keys;  // what an evaluation gives: "val/top1"
  bool evaluates = false;

  // Where it is. step counts optimizer steps done; micro_step counts forwards done over the whole run.
  Progress progress;
  std::int64_t epoch = 0;           // 0-based
  std::int64_t micro_in_epoch = 0;  // 0-based index of the micro-step under way
  std::int64_t micro_per_epoch = 0;
  std::int64_t samples_seen = 0;
  bool step_is_due = true;    // this micro-step ends in an optimizer step
  bool step_skipped = false;  // the last step was vetoed
  bool overflowed = false;  // the hook that scales the loss threw these gradients away: others need not judge
  bool end_of_epoch = false;  // the point is at an epoch's end: (epoch, position) of a checkpoint move on

  // Of the micro-step under way.
  const data::Batch* batch = nullptr;
  TrainOutput output;  // loss before the hooks mapped it
  double data_seconds = 0, step_seconds = 0;

  // Of the last evaluation: "val/top1" → value.
  std::map<std::string, double> metrics;
  // What hooks want in the log: "grad_norm", "loss_scale". The runner adds loss, lr.
  std::map<std::string, double> scalars;

  // Requests of hooks.
  bool stop = false;  // end after this point, in good order
  std::string stop_reason;
  bool interrupted = false;  // SIGINT or SIGTERM came; a checkpoint is to be saved, then the run ends

  // Gradients of all groups, for hooks that scale, check and clip.
  std::vector<at::Tensor> gradients() const;
  // Writes checkpoints/step_…; atomic; returns its folder. See train/checkpoint.hpp.
  std::function<std::filesystem::path()> save_checkpoint;
  // micro-steps per optimizer step at this place of the epoch (set by a hook that accumulates): for schedule
  // lengths.
  std::int64_t accumulate = 1;
};

}  // namespace marey
