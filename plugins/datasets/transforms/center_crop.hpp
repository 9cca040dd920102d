// The square in the middle; of two middles the left and the upper one.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

namespace marey::datasets {

class CenterCrop final : public Transform {
 public:
  struct Params {
    int size = 0;
  };
  static Schema<Params> schema();
  explicit CenterCrop(Params p) : p_(p) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
