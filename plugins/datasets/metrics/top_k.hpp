// The share of samples whose label is among the k best scores.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/metric.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace marey::datasets {

class TopK final : public Metric {
 public:
  struct Params {
    std::vector<std::int64_t> k{1, 5};
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit TopK(Params p) : p_(std::move(p)) { reset(); }

  void reset() override;
  void update(const at::Tensor& scores, const data::Batch&) override;
  std::map<std::string, double> compute() const override;
  std::vector<std::string> keys() const override;

 private:
  Params p_;
  std::vector<std::int64_t> correct_;  // for each k
  std::int64_t count_ = 0, undefined_ = 0;
};

}  // namespace marey::datasets
