// TimeSformer networks, https://arxiv.org/abs/2102.05095
#pragma once
#include "divided_block.hpp"
#include "embedding.hpp"

#include <marey/core/schema.hpp>
#include <marey/model/backbone.hpp>

#include <memory>
#include <string>
#include <vector>

namespace marey {

enum class SpaceTime { divided, divided_group, joint, space_only };
template <>
struct EnumNames<SpaceTime> {
  static constexpr std::array names{std::pair{SpaceTime::divided, "divided_space_time"},
                                    std::pair{SpaceTime::divided_group, "divided_group_space_time"},
                                    std::pair{SpaceTime::joint, "joint_space_time"},
                                    std::pair{SpaceTime::space_only, "space_only"}};
};

// Every frame is cut into patches, each of which becomes a token with the embedding of its place (pos_embed)
// and of its frame (time_embed); a class token goes with them through the blocks and, normalised, is the
// feature.
//   divided_space_time        in each block attention over time, then over space (DividedBlock)
//   divided_group_space_time  the same in groups of tokens (DividedBlock)
//   joint_space_time          attention over all tokens of the clip
//   space_only                each frame on its own, with its class token and without time_embed; the mean of
//                             the class tokens is normalised
// Of the last block only what the class token needs is computed.
//
// Names of the state: cls_token [1, 1, D], pos_embed [1, 1 + N, D], time_embed [1, T, D], patch_embed.proj,
// blocks.0 … (DividedBlock or TransformerBlock), norm: those of the original repository.
class TimeSformer : public Backbone {
 public:
  struct Params {
    SpaceTime attention_type = SpaceTime::divided;
    std::int64_t num_attention_groups = 1;
    std::int64_t embed_dim = 768;
    std::int64_t depth = 12;
    std::int64_t num_heads = 12;
    double mlp_ratio = 4;
    std::int64_t patch_size = 16;
    std::int64_t image_size = 224;
    std::int64_t frames = 8;
    std::int64_t in_channels = 3;
    bool qkv_bias = true;
    double norm_eps = 1e-6;
    double dropout = 0;
    double attention_dropout = 0;
    double drop_path = 0.1;
    bool zero_init_temporal = true;
    EmbeddingResize embedding_resize = EmbeddingResize::nearest;
    bool fused_attention = true;
    std::int64_t frozen_stages = -1;
    bool freeze_spatial_attention = false;
    std::int64_t activation_checkpointing = 0;
  };
  static Schema<Params> schema();
  static std::string check(const Params&);

  explicit TimeSformer(Params);
  // clips [B, C, T, H, W] → [B, D]
  std::vector<at::Tensor> forward(const at::Tensor& clips) override;
  std::vector<std::int64_t> out_channels() const override { return {params_.embed_dim}; }
  std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const override;
  void train(bool on = true) override;  // what is frozen stays in evaluation

 private:
  bool is_divided() const {
    return params_.attention_type == SpaceTime::divided || params_.attention_type == SpaceTime::divided_group;
  }
  void initialise();
  void freeze();
  at::Tensor dropped(const at::Tensor& x) const;
  // The class token [B, 1, D] and patches [B, N, T, D] with their embeddings.
  DividedBlock::Tokens embed(const at::Tensor& clips);
  // One block, whose activations may be computed again in the backward pass.
  std::vector<at::Tensor> run_block(std::size_t index, const std::vector<at::Tensor>& tokens);
  at::Tensor run_divided(const DividedBlock::Tokens&);  // → class tokens [B, D]
  at::Tensor run_plain(const DividedBlock::Tokens&);    // → class tokens [B, D]

  Params params_;
  at::Tensor cls_token_, pos_embed_, time_embed_;
  std::shared_ptr<PatchEmbedding> patch_embed_;
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  torch::nn::LayerNorm norm_{nullptr};
};

}  // namespace marey
