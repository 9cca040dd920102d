// y = ReLU(c(swish(SE(b(a(x))))) + shortcut(x)), b a depthwise 3D convolution.
// https://arxiv.org/abs/2004.04730
#pragma once
#include <marey/model/conv_unit.hpp>

#include <memory>

namespace marey {

// Each channel is weighed by what the whole clip says: x · σ(fc2(ReLU(fc1(mean(x))))).
// Names of the state: fc1.{weight,bias}, fc2.{weight,bias}.
class SqueezeExcitation : public torch::nn::Module {
 public:
  SqueezeExcitation(std::int64_t channels, double ratio);
  at::Tensor forward(const at::Tensor& x);

 private:
  std::shared_ptr<Conv> fc1_, fc2_;
};

// Names of the state: a, b, c, shortcut (each a ConvUnit), se; `shortcut` exists where the shape changes.
class X3DBlock : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t in = 1, inner = 1, out = 1, groups = 1;
    std::int64_t temporal_kernel = 3;
    std::int64_t stride = 1, dilation = 1;  // spatial
    double se_ratio = 0;                    // 0: none
    bool swish = true, zero_init = true;
    double drop_path = 0;
  };
  X3DBlock(const Options&, const NormOptions&);
  at::Tensor forward(const at::Tensor& x);  // [N, C, T, H, W] → [N, K, T, H/stride, W/stride]

 private:
  Options options_;
  std::shared_ptr<ConvUnit> a_, b_, c_, shortcut_;
  std::shared_ptr<SqueezeExcitation> se_;
};

// width · multiplier as a multiple of `divisor`, and no less than nine tenths of it.
std::int64_t round_width(std::int64_t width, double multiplier, std::int64_t least, std::int64_t divisor);

}  // namespace marey
