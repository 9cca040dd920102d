// Mixed precision: the forward pass in bfloat16 or float16 where that is safe; for float16 the loss is
// scaled, so that small gradients survive, and a step whose gradients overflowed is skipped and leaves no
// trace.
#pragma once
#include "buffer_backup.hpp"
#include "loss_scale.hpp"

#include <marey/core/schema.hpp>
#include <marey/train/hook.hpp>

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace marey::hooks {

enum class AmpType { bfloat16, float16, off };

class AMP final : public Hook {
 public:
  struct Params {
    AmpType dtype = AmpType::bfloat16;
    std::optional<double> loss_scale;
    double init_scale = 65536, growth_factor = 2, backoff_factor = 0.5;
    std::int64_t growth_interval = 2000;
    std::int64_t max_skipped = 50;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);
  explicit AMP(Params);

  Role role() const override { return Role::scale; }
  void prepare(Run&) override;
  void run_begin(Run&) override;
  void epoch_begin(Run&) override { window_open_ = false; }
  void micro_begin(Run&) override;
  std::unique_ptr<ForwardScope> around_forward(Run&) override;
  at::Tensor map_loss(Run&, at::Tensor loss) override;
  void gradients_ready(Run&) override;
  bool allow_step(Run&) override { return !overflowed_; }
  void step_end(Run&) override;
  State save() const override;
  void load(const State&) override;

 private:
  bool scales() const { return p_.dtype == AmpType::float16; }

  Params p_;
  LossScale scale_;
  BufferBackup backup_;
  bool window_open_ = false;  // micro-steps of a step under way have run
  bool overflowed_ = false;
  std::int64_t overflows_ = 0, in_a_row_ = 0;
};

}  // namespace marey::hooks

template <>
struct marey::EnumNames<marey::hooks::AmpType> {
  static constexpr std::array names{std::pair{marey::hooks::AmpType::bfloat16, "bfloat16"},
                                    std::pair{marey::hooks::AmpType::float16, "float16"},
                                    std::pair{marey::hooks::AmpType::off, "off"}};
};
