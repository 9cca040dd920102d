// A run starts with small steps that grow: shared by all schedules.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/train/schedule.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace marey::optim {

enum class WarmUpMode { to_curve, times_curve };

// A place in a run, in steps or, where the factor holds for whole epochs, in epochs.
struct Place {
  double position = 0;  // done
  double length = 1;    // of the run
  double warm_up = 0;   // 0: none
};

struct WarmUp {
  std::optional<std::int64_t> warmup_steps;
  std::optional<double> warmup_epochs;
  double warmup_start_factor = 0.1;
  WarmUpMode warmup_mode = WarmUpMode::to_curve;
  bool by_epoch = false;
  static Schema<WarmUp> schema();
  static std::string check(const WarmUp&);

  Place place(const Progress&) const;
  // The factor at a place, where `curve` gives the schedule's factor without warm-up at a position. A warm-up
  // that is as long as the run only climbs, towards curve(0).
  double apply(const Place&, const std::function<double(double)>& curve) const;
};

}  // namespace marey::optim

template <>
struct marey::EnumNames<marey::optim::WarmUpMode> {
  static constexpr std::array names{std::pair{marey::optim::WarmUpMode::to_curve, "to_curve"},
                                    std::pair{marey::optim::WarmUpMode::times_curve, "times_curve"}};
};
