#include "mean_class_accuracy.hpp"

#include "label_rank.hpp"

#include <marey/core/error.hpp>

namespace marey::datasets {

void MeanClassAccuracy::update(const at::Tensor& scores, const data::Batch& batch) {
  for (const LabelRank& rank : label_ranks(scores, batch)) {
    Tally& tally = classes_[rank.label];
    ++tally.count;
    tally.correct += rank.before == 0;
  }
}

std::map<std::string, double> MeanClassAccuracy::compute() const {
  if (classes_.empty())
    throw DataError("MeanClassAccuracy: none of the samples has a label; there is nothing to judge");
  double sum = 0;
  for (const auto& [label, tally] : classes_)
    sum += static_cast<double>(tally.correct) / static_cast<double>(tally.count);
  return {{"mean_class_accuracy", sum / static_cast<double>(classes_.size())}};
}

}  // namespace marey::datasets
