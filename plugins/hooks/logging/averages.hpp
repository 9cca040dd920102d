// What happened since the last line of a log: means over micro-steps, rates over samples.
#pragma once
#include <marey/train/run.hpp>

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace marey::hooks {

struct Summary {
  std::map<std::string, double> means;  // "loss" and the terms of the model's loss
  double clips_per_second = 0;
  double data_share = 0;  // of the time, spent waiting for data
};

// What hooks put into Run::scalars, without what every line has anyway.
std::map<std::string, double> extra_scalars(const Run&);

class Averages {
 public:
  void add(const Run&);   // at the end of a micro-step; waits for no device
  void step(const Run&);  // at the end of a step: adds the time that the update took
  Summary take();         // and starts anew
  bool empty() const { return micro_steps_ == 0; }

  nlohmann::json save() const;
  void load(const nlohmann::json&);

 private:
  void add(const std::string& name, const at::Tensor&);

  std::map<std::string, at::Tensor> sums_;  // scalars in double where the device has it
  std::int64_t micro_steps_ = 0, samples_ = 0;
  double seconds_ = 0, data_seconds_ = 0;
  double window_seconds_ = 0;  // of the micro-steps of the step under way
};

}  // namespace marey::hooks
