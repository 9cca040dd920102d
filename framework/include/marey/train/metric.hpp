// Judges predictions over a whole data set.
#pragma once
#include <marey/data/batch.hpp>

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

class Metric {
 public:
  static constexpr std::string_view kind = "metric";
  virtual ~Metric() = default;
  virtual void reset() = 0;
  virtual void update(const at::Tensor& scores, const data::Batch&) = 0;  // scores float [N, K] on the CPU
  virtual std::map<std::string, double> compute() const = 0;  // "top1" → 0.93; counts under "count"
  virtual std::vector<std::string> keys() const = 0;  // names that compute() gives, to check monitors early
};

}  // namespace marey
