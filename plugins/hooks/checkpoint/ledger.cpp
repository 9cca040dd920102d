#include "ledger.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace marey::hooks {

std::vector<Saved> Ledger::best() const {
  std::vector<Saved> out;
  for (const Saved& s : saved_)
    if (s.value && !std::isnan(*s.value)) out.push_back(s);
  std::stable_sort(out.begin(), out.end(),
                   [&](const Saved& a, const Saved& b) { return improves(better_, *a.value, *b.value); });
  if (out.size() > static_cast<std::size_t>(keep_best_)) out.resize(static_cast<std::size_t>(keep_best_));
  return out;
}

bool Ledger::would_be_best(double value) const {
  if (keep_best_ == 0 || std::isnan(value)) return false;
  const auto now = best();
  return now.size() < static_cast<std::size_t>(keep_best_) || improves(better_, value, *now.back().value);
}

void Ledger::add(Saved s) {
  forget(s.step);
  saved_.insert(std::upper_bound(saved_.begin(), saved_.end(), s,
                                 [](const Saved& a, const Saved& b) { return a.step < b.step; }),
                s);
}

void Ledger::forget(std::int64_t step) {
  std::erase_if(saved_, [&](const Saved& s) { return s.step == step; });
}

std::vector<Saved> Ledger::superfluous() const {
  std::set<std::int64_t> keep;
  for (const Saved& s : best()) keep.insert(s.step);
  std::int64_t regular = 0;
  for (auto s = saved_.rbegin(); s != saved_.rend(); ++s)
    if (s->regular && (keep_last_ == 0 || regular++ < keep_last_)) keep.insert(s->step);
  std::vector<Saved> out;
  for (const Saved& s : saved_)
    if (!keep.contains(s.step)) out.push_back(s);
  return out;
}

nlohmann::json Ledger::to_json() const {
  nlohmann::json out = nlohmann::json::array();
  for (const Saved& s : saved_) {
    nlohmann::json entry = {{"step", s.step}, {"epoch", s.epoch}, {"regular", s.regular}};
    if (s.value && !std::isnan(*s.value)) entry["value"] = *s.value;
    out.push_back(std::move(entry));
  }
  return out;
}

void Ledger::from_json(const nlohmann::json& entries) {
  saved_.clear();
  for (const auto& e : entries) {
    Saved s{.step = e.at("step"),
            .epoch = e.value("epoch", std::int64_t{0}),
            .regular = e.value("regular", true)};
    if (e.contains("value") && e.at("value").is_number()) s.value = e.at("value").get<double>();
    add(s);
  }
}

}  // namespace marey::hooks
