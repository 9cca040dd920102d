// A generator that gives back the draws of another program.
#pragma once
#include <cmath>
#include <deque>
#include <stdexcept>

namespace marey::test {

class RecordedDraws {
 public:
  // `scaled`: recorded numbers of uniform() are results; else they lie in [0, 1).
  explicit RecordedDraws(std::deque<double> draws, bool scaled = false)
      : draws_(std::move(draws)), scaled_(scaled) {}

  double uniform(double low, double high) { return scaled_ ? next() : low + (high - low) * next(); }
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const auto drawn = static_cast<std::int64_t>(next());
    if (drawn < low || drawn > high) throw std::logic_error("a draw outside the range asked for");
    return drawn;
  }
  bool used_up() const { return draws_.empty(); }

 private:
  double next() {
    if (draws_.empty()) throw std::logic_error("more draws than recorded");
    const double d = draws_.front();
    draws_.pop_front();
    return d;
  }
  std::deque<double> draws_;
  bool scaled_;
};

}  // namespace marey::test
