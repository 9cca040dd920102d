// Cross-entropy for one class a clip, hard or soft.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/model/loss.hpp>

#include <array>
#include <utility>
#include <vector>

namespace marey {

// What the sum over soft labels is divided by.
enum class SoftMean { labels, clips, rows };
template <>
struct EnumNames<SoftMean> {
  static constexpr std::array names{std::pair{SoftMean::labels, "labels"},
                                    std::pair{SoftMean::clips, "clips"}, std::pair{SoftMean::rows, "rows"}};
};

// With weights w_k (1 by default), smoothing e and K classes:
//   hard labels y:  Σ_n w_y·(1-e)·(-log p_y) + e/K·Σ_k w_k·(-log p_k), divided by Σ_n w_y
//   soft labels t:  the same with t' = (1-e)·t + e/K·Σ_k t_k: Σ_n Σ_k w_k·t'_k·(-log p_k), divided by Σ_n Σ_k
//   w_k·t_k
// so that a hard label and its one-hot row give the same loss. Rows with label -1 count neither above nor
// below. Soft labels that do not sum to 1 leave a choice of the mean: see `soft_mean`.
class CrossEntropy : public Loss {
 public:
  struct Params {
    double label_smoothing = 0;
    std::vector<double> class_weights;
    SoftMean soft_mean = SoftMean::labels;
  };
  static Schema<Params> schema();

  explicit CrossEntropy(Params params) : params_(std::move(params)) {}
  at::Tensor forward(const at::Tensor& logits, const at::Tensor& labels) const override;

 private:
  at::Tensor hard(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weights) const;
  at::Tensor soft(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weights) const;

  Params params_;
};

}  // namespace marey
