// The mean over classes of the share of their samples that are recognised, so that rare classes weigh as much
// as common ones. Classes without samples are left out.
#pragma once
#include <marey/train/metric.hpp>

#include <cstdint>
#include <map>

namespace marey::datasets {

class MeanClassAccuracy final : public Metric {
 public:
  void reset() override { classes_.clear(); }
  void update(const at::Tensor& scores, const data::Batch&) override;
  std::map<std::string, double> compute() const override;
  std::vector<std::string> keys() const override { return {"mean_class_accuracy"}; }

 private:
  struct Tally {
    std::int64_t correct = 0, count = 0;
  };
  std::map<std::int64_t, Tally> classes_;
};

}  // namespace marey::datasets
