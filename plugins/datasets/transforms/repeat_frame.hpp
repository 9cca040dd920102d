// Shows one frame of each clip all the time. A control: a model that still recognises the action has not used
// motion.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

#include <string>
#include <utility>

namespace marey::datasets {

class RepeatFrame final : public Transform {
 public:
  struct Params {
    std::string frame = "middle";
  };
  static Schema<Params> schema();
  explicit RepeatFrame(Params p) : p_(std::move(p)) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
