// What losses over all classes at once make of labels.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace marey {

struct Targets {
  at::Tensor scores, targets;  // [M, K] each, float or double: the labelled rows
};

// scores [N, K]; labels int64 [N] (-1: unlabelled, left out) or floating [N, K]. With smoothing e, targets
// are (1-e)·t + e/K. `loss`: whom an error names.
Targets labelled(const at::Tensor& scores, const at::Tensor& labels, double smoothing, std::string_view loss);

// [K], or undefined when there are none.
at::Tensor class_weights(const std::vector<double>& weights, const at::Tensor& scores, std::string_view loss);

}  // namespace marey
