// Half a cosine from 1 down to final_factor:
//   f(x) = final_factor + (1 - final_factor) (1 + cos(π x)) / 2,  x = done / length
// where done and length count from the start of the run or from the end of the warm-up.
#pragma once
#include "warm_up.hpp"

namespace marey::optim {

enum class CosineStart { run, warmup_end };

class Cosine final : public Schedule {
 public:
  struct Params : WarmUp {
    double final_factor = 0;
    CosineStart start = CosineStart::run;
  };
  static Schema<Params> schema();
  static std::string check(const Params& p) { return WarmUp::check(p); }
  explicit Cosine(Params p) : p_(p) {}

  double factor(const Progress&) const override;

 private:
  Params p_;
};

}  // namespace marey::optim

template <>
struct marey::EnumNames<marey::optim::CosineStart> {
  static constexpr std::array names{std::pair{marey::optim::CosineStart::run, "run"},
                                    std::pair{marey::optim::CosineStart::warmup_end, "warmup_end"}};
};
