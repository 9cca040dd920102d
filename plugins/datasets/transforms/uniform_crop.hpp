// One of the three squares along the longer side.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

#include <string>
#include <utility>

namespace marey::datasets {

class UniformCrop final : public Transform {
 public:
  struct Params {
    int size = 0;
    std::string position = "middle";
  };
  static Schema<Params> schema();
  explicit UniformCrop(Params p) : p_(std::move(p)) {}

  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
};

}  // namespace marey::datasets
