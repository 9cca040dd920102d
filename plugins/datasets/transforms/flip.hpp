// Mirrors a clip left-right, all frames and views alike, and turns its label where a class has a mirror
// class.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/transform.hpp>

#include <map>
#include <string>
#include <utility>

namespace marey::datasets {

class Flip final : public Transform {
 public:
  struct Params {
    double probability = 0.5;
    std::map<std::string, std::string> label_map;
  };
  static Schema<Params> schema();
  explicit Flip(Params p) : p_(std::move(p)) {}

  void prepare(const std::vector<std::string>& class_names) override;
  void apply(data::Clip&, Random&) const override;

 private:
  Params p_;
  std::map<std::int64_t, std::int64_t> mirror_;
};

}  // namespace marey::datasets
