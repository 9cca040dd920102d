// The parameters of TimeSformer: their meaning, and what fits together.
#include "timesformer.hpp"

#include <fmt/format.h>

namespace marey {

Schema<TimeSformer::Params> TimeSformer::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::attention_type>(
          {.doc = "what a token attends to: \"divided_space_time\" the frames at its place, then the places "
                  "of its frame; \"divided_group_space_time\" the same, in groups; \"joint_space_time\" the "
                  "whole clip; \"space_only\" its frame"})
      .arg<&P::num_attention_groups>(
          {.doc = "divided_group_space_time: the T frames of a place and the N patches of a frame are each "
                  "cut into so many groups of equal size, with no attention between them, so that attention "
                  "matrices are that many times smaller. Groups are runs of neighbours in even blocks, every "
                  "so many-th token in odd ones; the class token is in each spatial group and gets the mean. "
                  "1 is divided_space_time",
           .min = 1})
      .arg<&P::embed_dim>({.doc = "numbers of a token", .min = 1})
      .arg<&P::depth>({.doc = "blocks", .min = 1})
      .arg<&P::num_heads>({.doc = "heads of each attention; divides embed_dim", .min = 1})
      .arg<&P::mlp_ratio>({.doc = "inner width of a block's network / embed_dim", .min = 0})
      .arg<&P::patch_size>({.doc = "height and width of a patch", .unit = "pixels", .min = 1})
      .arg<&P::image_size>(
          {.doc = "height and width that the position embedding is made for", .unit = "pixels", .min = 1})
      .arg<&P::frames>({.doc = "clip length that the time embedding is made for", .unit = "frames", .min = 1})
      .arg<&P::in_channels>({.doc = "channels of a clip", .min = 1})
      .arg<&P::qkv_bias>({.doc = "queries, keys and values have a bias"})
      .arg<&P::norm_eps>({.doc = "added to variances in layer norm", .min = 0})
      .arg<&P::dropout>({.doc =
                             "probability that a number is dropped in training, after the embeddings, each "
                             "attention and each layer of the networks",
                         .min = 0,
                         .max = 1})
      .arg<&P::attention_dropout>(
          {.doc = "probability that an attention weight is dropped in training", .min = 0, .max = 1})
      .arg<&P::drop_path>({.doc = "probability that the last block's branches are left out in training; it "
                                  "rises from 0 in the first block",
                           .min = 0,
                           .max = 1})
      .arg<&P::zero_init_temporal>(
          {.doc = "temporal attention starts by adding 0, so that weights learned on pictures keep their "
                  "meaning"})
      .arg<&P::embedding_resize>(
          {.doc = "clips of another size or length take the nearest position and time embedding (the "
                  "original), or interpolate linearly"})
      .arg<&P::fused_attention>({.doc = "attention without its matrix in memory, where the device has a "
                                        "kernel for that; false: with it, softmax in float"})
      .arg<&P::frozen_stages>(
          {.doc =
               "-1: all is trained; 0: the embeddings are not; n: nor are the first n blocks, which stay in "
               "evaluation",
           .min = -1})
      .arg<&P::freeze_spatial_attention>(
          {.doc = "spatial attention and its norm are not trained, in any block"})
      .arg<&P::activation_checkpointing>(
          {.doc = "so many blocks, from the first on, keep only their input in training and compute the rest "
                  "again in the backward pass: less memory, more time, the same gradients",
           .min = 0});
}

std::string TimeSformer::check(const Params& p) {
  if (p.embed_dim % p.num_heads != 0)
    return fmt::format("`num_heads` must divide `embed_dim`; got {} heads for {} numbers", p.num_heads,
                       p.embed_dim);
  if (p.image_size % p.patch_size != 0)
    return fmt::format("`patch_size` must divide `image_size`; got patches of {} for pictures of {} pixels",
                       p.patch_size, p.image_size);
  if (p.num_attention_groups > 1 && p.attention_type != SpaceTime::divided_group)
    return fmt::format(
        "`num_attention_groups` = {} needs attention_type = \"divided_group_space_time\"; the others have "
        "one "
        "group",
        p.num_attention_groups);
  if (p.frozen_stages > p.depth)
    return fmt::format("`frozen_stages` = {} is more than the {} blocks of `depth`", p.frozen_stages,
                       p.depth);
  if (p.mlp_ratio * static_cast<double>(p.embed_dim) < 1)
    return fmt::format("`mlp_ratio` = {} leaves the blocks' networks without width", p.mlp_ratio);
  return {};
}

std::string TimeSformer::refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const {
  const std::int64_t patch = params_.patch_size, groups = params_.num_attention_groups;
  if (height < patch || width < patch || height % patch != 0 || width % patch != 0)
    return fmt::format(
        "TimeSformer with patch_size = {} needs frames whose sides are multiples of {}; got {}x{} pixels "
        "(width x height). Take another crop",
        patch, patch, width, height);
  const std::int64_t places = (height / patch) * (width / patch);
  if (frames % groups != 0 || places % groups != 0)
    return fmt::format(
        "TimeSformer with num_attention_groups = {} needs a number of frames and of patches that {} divides; "
        "got {} frames of {} patches. Take another num_attention_groups, clip length or crop",
        groups, groups, frames, places);
  return {};
}

}  // namespace marey
