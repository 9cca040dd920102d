// Where the label of a sample stands among its scores.
#pragma once
#include <marey/data/batch.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace marey::datasets {

struct LabelRank {
  std::int64_t label = 0;
  // Classes that stand before the label's: those of a greater score, and of equal ones those of a lower
  // index, so that ties fall the same way everywhere. None: a score is NaN, and the prediction counts as
  // wrong.
  std::optional<std::int64_t> before;
};

// One for each labelled sample; scores are [N, K]. Throws DataError for a label that the model has no score
// for.
std::vector<LabelRank> label_ranks(const at::Tensor& scores, const data::Batch&);

}  // namespace marey::datasets
