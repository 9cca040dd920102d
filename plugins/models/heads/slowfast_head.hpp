// Class scores from the features of one or more pathways.
#pragma once
#include "windows.hpp"

#include <marey/core/schema.hpp>
#include <marey/model/head.hpp>

#include <torch/nn/modules/linear.h>

#include <array>
#include <utility>

namespace marey {

enum class ConcatOrder { slow_fast, fast_slow };
template <>
struct EnumNames<ConcatOrder> {
  static constexpr std::array names{std::pair{ConcatOrder::slow_fast, "slow_fast"},
                                    std::pair{ConcatOrder::fast_slow, "fast_slow"}};
};

// Names of the state: fc.weight [K, ΣC_i], fc.bias [K].
class SlowFastHead : public Head {
 public:
  struct Params {
    std::int64_t num_classes = 400;
    double dropout = 0.5;
    ConcatOrder concat = ConcatOrder::slow_fast;
    std::int64_t pool_size = 0;
    Activation activation = Activation::softmax;
    double init_std = 0.01;
  };
  static Schema<Params> schema();

  explicit SlowFastHead(Params params) : params_(params) {}
  void connect(const std::vector<std::int64_t>& channels) override;
  // one [N, C_i, T_i, H, W] per pathway → logits [N, K]
  at::Tensor forward(const std::vector<at::Tensor>& features) override;
  std::int64_t num_classes() const override { return params_.num_classes; }

 private:
  void check(const std::vector<at::Tensor>& features) const;

  Params params_;
  std::vector<std::int64_t> channels_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace marey
