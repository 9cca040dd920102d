// Focal loss: what is classified well already counts less. https://arxiv.org/abs/1708.02002
#pragma once
#include <marey/core/schema.hpp>
#include <marey/model/loss.hpp>

#include <array>
#include <utility>
#include <vector>

namespace marey {

enum class FocalKind { sigmoid, softmax };
template <>
struct EnumNames<FocalKind> {
  static constexpr std::array names{std::pair{FocalKind::sigmoid, "sigmoid"},
                                    std::pair{FocalKind::softmax, "softmax"}};
};

// The mean of alpha · (1 - exp(-l))^gamma · l, where l is the binary cross-entropy of a clip and class, or
// the cross-entropy of a clip. alpha 1 and gamma 0 is that cross-entropy itself.
class Focal : public Loss {
 public:
  struct Params {
    double alpha = 0.25;
    double gamma = 2;
    FocalKind activation = FocalKind::sigmoid;
    double label_smoothing = 0;
    std::vector<double> class_weights;
  };
  static Schema<Params> schema();

  explicit Focal(Params params) : params_(std::move(params)) {}
  at::Tensor forward(const at::Tensor& logits, const at::Tensor& labels) const override;

 private:
  Params params_;
};

}  // namespace marey
