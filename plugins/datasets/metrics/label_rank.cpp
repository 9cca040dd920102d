#include "label_rank.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace marey::datasets {
namespace {

std::optional<std::int64_t> classes_before(std::span<const float> scores, std::int64_t label) {
  std::int64_t before = 0;
  const float own = scores[static_cast<std::size_t>(label)];
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (std::isnan(scores[k])) return std::nullopt;
    before += scores[k] > own || (scores[k] == own && static_cast<std::int64_t>(k) < label);
  }
  return before;
}

}  // namespace

std::vector<LabelRank> label_ranks(const at::Tensor& scores, const data::Batch& batch) {
  if (scores.dim() != 2 || scores.size(0) != batch.labels.size(0))
    throw Error(fmt::format("a metric needs scores [N, K] for {} samples, got {} dimensions with {} rows",
                            batch.labels.size(0), scores.dim(), scores.dim() ? scores.size(0) : 0));
  const at::Tensor values = scores.to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor labels = batch.labels.to(at::kCPU, at::kLong).contiguous();
  const auto classes = static_cast<std::size_t>(values.size(1));
  const float* row = values.const_data_ptr<float>();
  const std::int64_t* label = labels.const_data_ptr<std::int64_t>();
  std::vector<LabelRank> out;
  for (std::int64_t i = 0; i < labels.size(0); ++i, row += classes) {
    if (label[i] < 0) continue;
    if (label[i] >= static_cast<std::int64_t>(classes)) {
      const auto n = static_cast<std::size_t>(i);
      throw DataError(fmt::format("{}: label {} is out of range: the model scores {} classes",
                                  n < batch.sources.size() ? batch.sources[n] : fmt::format("sample {}", n),
                                  label[i], classes));
    }
    out.push_back({label[i], classes_before({row, classes}, label[i])});
  }
  return out;
}

}  // namespace marey::datasets
