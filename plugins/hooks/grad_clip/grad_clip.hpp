// Bounds the gradients of a step, and keeps steps with gradients that are no numbers from being taken.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>

#include <array>
#include <optional>
#include <utility>

namespace marey::hooks {

enum class NormType { l2, inf };

class GradClip final : public Hook {
 public:
  struct Params {
    std::optional<double> max_norm, max_value;
    NormType norm_type = NormType::l2;
    std::int64_t max_skipped = 5;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit GradClip(Params p) : p_(p) {}

  Role role() const override { return Role::clip; }
  void gradients_ready(Run&) override;
  bool allow_step(Run&) override { return !bad_; }
  void step_end(Run&) override { bad_ = false; }
  State save() const override;
  void load(const State&) override;

 private:
  void refuse(const Run&, double norm);

  Params p_;
  bool bad_ = false;
  std::int64_t skipped_ = 0, in_a_row_ = 0;
};

}  // namespace marey::hooks

template <>
struct marey::EnumNames<marey::hooks::NormType> {
  static constexpr std::array names{std::pair{marey::hooks::NormType::l2, "l2"},
                                    std::pair{marey::hooks::NormType::inf, "inf"}};
};
