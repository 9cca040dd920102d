// A square at a random place; every place is equally likely.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

namespace marey::datasets {

class RandomCrop final : public Transform {
 public:
  struct Params {
    int size = 0;
  };
  static Schema<Params> schema();
  explicit RandomCrop(Params p) : p_(p) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
