// Our names under those of each project: the way back of weight_name_tables.cpp.
#include "train/weight_name_tables.hpp"

#include <array>

namespace marey {
namespace {

constexpr WeightNameRule pyslowfast_rules[] = {
    {"^head\\.fc\\.", "head.projection."},
    {"^backbone\\.lateral\\.(stem|stage\\d)\\.conv\\.", "$1_fuse.conv_f2s."},
    {"^backbone\\.lateral\\.(stem|stage\\d)\\.bn\\.", "$1_fuse.bn."},
    {"^backbone\\.slow\\.(stem|stage\\d)\\.", "$1.pathway0_"},
    {"^backbone\\.fast\\.(stem|stage\\d)\\.", "$1.pathway1_"},
    {"^backbone\\.(stem|stage\\d)\\.", "$1.pathway0_"},
    {"^stem\\.(pathway\\d)_", "s1.$1_stem."},
    {"^stem_fuse", "s1_fuse"},
    {"^stage1", "s2"},
    {"^stage2", "s3"},
    {"^stage3", "s4"},
    {"^stage4", "s5"},
    {"_(nonlocal\\d+)\\.(theta|phi|g|out)\\.", "_$1.conv_$2."},
    {"_(\\d+)\\.shortcut\\.conv\\.", "_res$1.branch1."},
    {"_(\\d+)\\.shortcut\\.bn\\.", "_res$1.branch1_bn."},
    {"_(\\d+)\\.([abc])\\.conv\\.", "_res$1.branch2.$2."},
    {"_(\\d+)\\.([abc])\\.bn\\.", "_res$1.branch2.$2_bn."}};
constexpr WeightNameRule mmaction2_rules[] = {{"^head\\.fc\\.", "cls_head.fc_cls."},
                                              {"lateral\\.stem", "slow_path.conv1_lateral"},
                                              {"lateral\\.stage(\\d)", "slow_path.layer$1_lateral"},
                                              {"^backbone\\.(slow|fast)\\.stem", "backbone.$1_path.conv1"},
                                              {"^backbone\\.(slow|fast)\\.stage", "backbone.$1_path.layer"},
                                              {"^backbone\\.stem", "backbone.conv1"},
                                              {"^backbone\\.stage", "backbone.layer"},
                                              {"(\\.\\d+)\\.a\\.", "$1.conv1."},
                                              {"(\\.\\d+)\\.b\\.", "$1.conv2."},
                                              {"(\\.\\d+)\\.c\\.", "$1.conv3."},
                                              {"\\.shortcut\\.", ".downsample."}};
// The head is block 6, after four stages and the pooling.
constexpr WeightNameRule pytorchvideo_rules[] = {
    {"^head\\.fc\\.", "blocks.6.proj."},
    {"^backbone\\.lateral\\.stem\\.", "blocks.0.multipathway_fusion."},
    {"^backbone\\.lateral\\.stage(\\d)\\.", "blocks.$1.multipathway_fusion."},
    {"multipathway_fusion\\.conv\\.", "multipathway_fusion.conv_fast_to_slow."},
    {"^backbone\\.slow\\.stem\\.", "blocks.0.multipathway_blocks.0."},
    {"^backbone\\.fast\\.stem\\.", "blocks.0.multipathway_blocks.1."},
    {"^backbone\\.slow\\.stage(\\d)\\.", "blocks.$1.multipathway_blocks.0.res_blocks."},
    {"^backbone\\.fast\\.stage(\\d)\\.", "blocks.$1.multipathway_blocks.1.res_blocks."},
    {"shortcut\\.conv\\.", "branch1_conv."},
    {"shortcut\\.bn\\.", "branch1_norm."},
    {"(\\.\\d+)\\.([abc])\\.conv\\.", "$1.branch2.conv_$2."},
    {"(\\.\\d+)\\.([abc])\\.bn\\.", "$1.branch2.norm_$2."},
    {"\\.bn\\.", ".norm."}};
constexpr WeightNameRule pytorchvideo_single_rules[] = {
    {"^head\\.fc\\.", "blocks.5.proj."},
    {"^backbone\\.stem\\.", "blocks.0."},
    {"^backbone\\.stage(\\d)\\.", "blocks.$1.res_blocks."},
    {"shortcut\\.conv\\.", "branch1_conv."},
    {"shortcut\\.bn\\.", "branch1_norm."},
    {"(\\.\\d+)\\.([abc])\\.conv\\.", "$1.branch2.conv_$2."},
    {"(\\.\\d+)\\.([abc])\\.bn\\.", "$1.branch2.norm_$2."},
    {"\\.bn\\.", ".norm."}};
// The repository's model wraps its network in a part called `model`.
constexpr WeightNameRule timesformer_rules[] = {
    {"^head\\.fc\\.", "head."}, {"^backbone\\.", ""}, {"^(.+)$", "model.$1"}};
constexpr WeightNameRule hugging_face_rules[] = {
    {"^head\\.fc\\.", "classifier."},
    {"^backbone\\.norm\\.", "timesformer.layernorm."},
    {"^backbone\\.cls_token", "timesformer.embeddings.cls_token"},
    {"^backbone\\.pos_embed", "timesformer.embeddings.position_embeddings"},
    {"^backbone\\.time_embed", "timesformer.embeddings.time_embeddings"},
    {"^backbone\\.patch_embed\\.proj", "timesformer.embeddings.patch_embeddings.projection"},
    {"^backbone\\.blocks\\.", "timesformer.encoder.layer."},
    {"\\.temporal_norm1\\.", ".temporal_layernorm."},
    {"\\.temporal_fc\\.", ".temporal_dense."},
    {"\\.norm1\\.", ".layernorm_before."},
    {"\\.norm2\\.", ".layernorm_after."},
    {"\\.(temporal_)?attn\\.qkv\\.", ".$1attention.attention.qkv."},
    {"\\.(temporal_)?attn\\.proj\\.", ".$1attention.output.dense."},
    {"\\.mlp\\.fc1\\.", ".intermediate.dense."},
    {"\\.mlp\\.fc2\\.", ".output.dense."}};
constexpr WeightNameRule mmaction2_divided_rules[] = {
    {"^head\\.fc\\.", "cls_head.fc_cls."},
    {"patch_embed\\.proj\\.", "patch_embed.projection."},
    {"^backbone\\.blocks\\.", "backbone.transformer_layers.layers."},
    {"\\.temporal_norm1\\.", ".attentions.0.norm."},
    {"\\.temporal_fc\\.", ".attentions.0.temporal_fc."},
    {"\\.norm1\\.", ".attentions.1.norm."},
    {"\\.norm2\\.", ".ffns.0.norm."},
    {"\\.temporal_attn\\.", ".attentions.0.attn."},
    {"(layers\\.\\d+)\\.attn\\.", "$1.attentions.1.attn."},
    {"\\.attn\\.qkv\\.", ".attn.in_proj_"},
    {"\\.attn\\.proj\\.", ".attn.out_proj."},
    {"\\.mlp\\.fc1\\.", ".ffns.0.layers.0.0."},
    {"\\.mlp\\.fc2\\.", ".ffns.0.layers.1."}};
constexpr WeightNameRule mmaction2_joint_rules[] = {
    {"^head\\.fc\\.", "cls_head.fc_cls."},
    {"patch_embed\\.proj\\.", "patch_embed.projection."},
    {"^backbone\\.blocks\\.", "backbone.transformer_layers.layers."},
    {"\\.norm1\\.", ".norms.0."},
    {"\\.norm2\\.", ".norms.1."},
    {"(layers\\.\\d+)\\.attn\\.", "$1.attentions.0.attn."},
    {"\\.attn\\.qkv\\.", ".attn.in_proj_"},
    {"\\.attn\\.proj\\.", ".attn.out_proj."},
    {"\\.mlp\\.fc1\\.", ".ffns.0.layers.0.0."},
    {"\\.mlp\\.fc2\\.", ".ffns.0.layers.1."}};

// The signs are beginnings of our names: the first table of the project whose sign is there is taken.
constexpr std::array exports{
    WeightNameTable{"pyslowfast", "backbone.slow.", pyslowfast_rules, {}},
    WeightNameTable{"mmaction2", "backbone.slow.", mmaction2_rules, {}},
    WeightNameTable{"pytorchvideo", "backbone.slow.", pytorchvideo_rules, {}},
    WeightNameTable{"pyslowfast", "backbone.stage1.", pyslowfast_rules, {}},
    WeightNameTable{"mmaction2", "backbone.stage1.", mmaction2_rules, {}},
    WeightNameTable{"pytorchvideo", "backbone.stage1.", pytorchvideo_single_rules, {}},
    WeightNameTable{"timesformer", "backbone.patch_embed.proj.", timesformer_rules, {}},
    WeightNameTable{"hf", "backbone.patch_embed.proj.", hugging_face_rules, {}},
    WeightNameTable{"mmaction2", "backbone.blocks.0.temporal_fc.", mmaction2_divided_rules, {}},
    WeightNameTable{"mmaction2", "backbone.patch_embed.proj.", mmaction2_joint_rules, {}},
};

}  // namespace

std::span<const WeightNameTable> weight_name_exports() { return exports; }

}  // namespace marey
