#include "targets.hpp"

#include <marey/core/error.hpp>

#include <ATen/TensorOperators.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

namespace marey {

Targets labelled(const at::Tensor& logits, const at::Tensor& labels, double smoothing,
                 std::string_view loss) {
  const at::Tensor scores = at::isReducedFloatingType(logits.scalar_type()) ? logits.to(at::kFloat) : logits;
  const std::int64_t classes = scores.size(1);
  Targets out{scores, {}};
  if (labels.is_floating_point()) {
    if (labels.sizes() != scores.sizes())
      throw Error(fmt::format("{}: expected labels [{}] like the scores; got [{}]", loss,
                              fmt::join(scores.sizes(), ", "), fmt::join(labels.sizes(), ", ")));
    out.targets = labels.to(scores.scalar_type());
  } else {
    if (labels.dim() != 1 || labels.size(0) != scores.size(0))
      throw Error(fmt::format("{}: expected {} labels for scores [{}]; got [{}]", loss, scores.size(0),
                              fmt::join(scores.sizes(), ", "), fmt::join(labels.sizes(), ", ")));
    if (labels.numel() > 0) {
      const auto [least, most] = at::aminmax(labels);
      const auto low = least.item<std::int64_t>(), high = most.item<std::int64_t>();
      if (high < 0)
        throw DataError(
            fmt::format("{}: no clip of the batch has a label. Training needs a list with labels", loss));
      if (high >= classes || low < -1)
        throw DataError(fmt::format(
            "{}: labels must lie between 0 and {} (-1: missing); got {}. Does the data set have the head's "
            "num_classes?",
            loss, classes - 1, low < -1 ? low : high));
      at::Tensor known = labels;
      if (low < 0) {
        const at::Tensor rows = labels.ge(0).nonzero().squeeze(1);
        known = labels.index_select(0, rows);
        out.scores = scores.index_select(0, rows);
      }
      out.targets = at::one_hot(known, classes).to(scores.scalar_type());
    }
  }
  if (out.scores.numel() == 0) throw DataError(fmt::format("{}: the batch is empty", loss));
  if (smoothing > 0) out.targets = out.targets * (1 - smoothing) + smoothing / static_cast<double>(classes);
  return out;
}

at::Tensor class_weights(const std::vector<double>& weights, const at::Tensor& scores,
                         std::string_view loss) {
  if (weights.empty()) return {};
  if (static_cast<std::int64_t>(weights.size()) != scores.size(1))
    throw UsageError(
        fmt::format("{}: class_weights has {} entries, the model has {} classes; give one for each class",
                    loss, weights.size(), scores.size(1)));
  return at::tensor(weights, scores.options().requires_grad(false));
}

}  // namespace marey
