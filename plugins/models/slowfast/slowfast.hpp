// SlowFast networks, https://arxiv.org/abs/1812.03982
#pragma once
#include "pathway.hpp"

#include <marey/core/schema.hpp>
#include <marey/model/backbone.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace marey {

enum class SlowIndex { linspace, stride };
template <>
struct EnumNames<SlowIndex> {
  static constexpr std::array names{std::pair{SlowIndex::linspace, "linspace"},
                                    std::pair{SlowIndex::stride, "stride"}};
};

// The fast pathway sees all T frames, the slow one T/alpha of them. After the stem and after every stage but
// the last, a convolution over time (stride alpha) brings the fast features to the slow pathway, where they
// are appended to its channels.
//
// Names of the state: slow.*, fast.* (see Pathway), lateral.stem, lateral.stage1 … (each a ConvUnit).
class SlowFast : public Backbone {
 public:
  struct Params {
    int depth = 50;
    std::vector<std::int64_t> blocks;
    std::optional<BlockType> block;
    std::optional<int> fast_depth;
    std::int64_t alpha = 8;
    double beta = 0.125;
    std::int64_t stem_width = 64;
    std::vector<std::int64_t> widths{64, 128, 256, 512};
    std::optional<std::int64_t> fast_stem_width;
    std::vector<std::int64_t> fast_widths;
    std::int64_t stem_kernel = 1;
    std::int64_t fast_stem_kernel = 5;
    std::vector<std::int64_t> temporal_kernels{1, 1, 3, 3};
    std::vector<std::int64_t> fast_temporal_kernels{3, 3, 3, 3};
    std::vector<std::int64_t> temporal_blocks;
    std::vector<std::int64_t> fast_temporal_blocks;
    bool temporal_in_both = false;
    std::int64_t stem_stride = 2;
    std::int64_t pool_stride = 2;
    std::vector<std::int64_t> strides{1, 2, 2, 2};
    std::vector<std::int64_t> dilations{1, 1, 1, 1};
    Place strided = Place::second;
    Place dilated = Place::second;
    NonLocal nonlocal, fast_nonlocal;
    std::int64_t fusion_kernel = 5;
    std::int64_t fusion_ratio = 2;
    bool lateral_norm = true;
    SlowIndex slow_index = SlowIndex::linspace;
    bool zero_init = true;
    double norm_eps = 1e-5;
    double norm_momentum = 0.1;
    std::int64_t in_channels = 3;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);

  explicit SlowFast(Params);
  // clips [N, C, T, H, W] → slow [N, C_0, T/alpha, H/32, W/32], fast [N, C_1, T, H/32, W/32]
  std::vector<at::Tensor> forward(const at::Tensor& clips) override;
  std::vector<std::int64_t> out_channels() const override;
  std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const override;

 private:
  at::Tensor slow_frames(const at::Tensor& clips) const;  // [N, C, T, H, W] → [N, C, T/alpha, H, W]

  Params params_;
  std::shared_ptr<Pathway> slow_, fast_;
  std::vector<std::shared_ptr<ConvUnit>> laterals_;  // stem, stage 1, …
};

}  // namespace marey
