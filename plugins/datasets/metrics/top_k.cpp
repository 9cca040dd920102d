#include "top_k.hpp"

#include "label_rank.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace marey::datasets {

Schema<TopK::Params> TopK::schema() {
  return Schema<Params>{}.arg<&Params::k>({.doc = "how many of the best scores may hold the label; one key "
                                                  "each: top1, top5. Equal scores stand in the order of "
                                                  "their classes, a NaN among the scores makes a prediction "
                                                  "wrong, unlabelled samples do not count. A k of the "
                                                  "class count or more accepts every class and says nothing",
                                           .min = 1,
                                           .max = 1000000});
}

std::string TopK::check(const Params& p) {
  if (p.k.empty()) return "k is empty; give at least one, such as [1, 5]";
  auto sorted = p.k;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return fmt::format("k holds {} twice", *twice);
  return {};
}

void TopK::reset() {
  correct_.assign(p_.k.size(), 0);
  count_ = undefined_ = 0;
}

void TopK::update(const at::Tensor& scores, const data::Batch& batch) {
  for (const LabelRank& rank : label_ranks(scores, batch)) {
    ++count_;
    if (!rank.before) ++undefined_;
    for (std::size_t i = 0; i < p_.k.size(); ++i) correct_[i] += rank.before && *rank.before < p_.k[i];
  }
}

std::map<std::string, double> TopK::compute() const {
  if (count_ == 0) throw DataError("TopK: none of the samples has a label; there is nothing to judge");
  if (undefined_ > 0)
    log::warning(fmt::format("TopK: {} of {} predictions hold NaN and count as wrong", undefined_, count_));
  std::map<std::string, double> out{{"count", static_cast<double>(count_)}};
  for (std::size_t i = 0; i < p_.k.size(); ++i)
    out[fmt::format("top{}", p_.k[i])] = static_cast<double>(correct_[i]) / static_cast<double>(count_);
  return out;
}

std::vector<std::string> TopK::keys() const {
  std::vector<std::string> out;
  for (const auto k : p_.k) out.push_back(fmt::format("top{}", k));
  out.emplace_back("count");
  return out;
}

}  // namespace marey::datasets
