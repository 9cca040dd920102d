#include "train/weight_name_tables.hpp"

#include <array>

namespace marey {
namespace {

// Stages count from s2; the lateral connection after a stage has the stage's name.
constexpr WeightNameRule pyslowfast_rules[] = {
    {"^head\\.projection", "head.fc"},
    {"^s1_fuse\\.(conv_f2s|bn)", "lateral.stem.$1"},
    {"^s([234])_fuse\\.(conv_f2s|bn)", "lateral.stage<$1>.$2"},
    {"conv_f2s", "conv"},
    {"^s1\\.pathway(\\d)_stem", "pathway$1.stem"},
    {"^s(\\d)\\.pathway(\\d)_nonlocal(\\d+)\\.(conv_)?", "pathway$2.stage<$1>.nonlocal$3."},
    {"^s(\\d)\\.pathway(\\d)_res(\\d+)\\.", "pathway$2.stage<$1>.$3."},
    {"branch2\\.([abc])_bn", "$1.bn"},
    {"branch2\\.([abc])\\.", "$1.conv."},
    {"branch1_bn", "shortcut.bn"},
    {"branch1\\.", "shortcut.conv."},
    {"<2>", "1"},
    {"<3>", "2"},
    {"<4>", "3"},
    {"<5>", "4"},
    {"^pathway0", "backbone.slow"},
    {"^pathway1", "backbone.fast"},
    {"^lateral", "backbone.lateral"}};
constexpr WeightNameRule pyslowfast_single_rules[] = {
    {"^head\\.projection", "head.fc"},
    {"^s1\\.pathway0_stem", "backbone.stem"},
    {"^s(\\d)\\.pathway0_nonlocal(\\d+)\\.(conv_)?", "backbone.stage<$1>.nonlocal$2."},
    {"^s(\\d)\\.pathway0_res(\\d+)\\.", "backbone.stage<$1>.$2."},
    {"branch2\\.([abc])_bn", "$1.bn"},
    {"branch2\\.([abc])\\.", "$1.conv."},
    {"branch1_bn", "shortcut.bn"},
    {"branch1\\.", "shortcut.conv."},
    {"<2>", "1"},
    {"<3>", "2"},
    {"<4>", "3"},
    {"<5>", "4"}};
// X3D: the widening convolution counts as part of the backbone here.
constexpr WeightNameRule pyslowfast_x3d_rules[] = {
    {"^head\\.projection", "head.fc"},
    {"^head\\.lin_5_bn", "head.fc1_bn"},
    {"^head\\.lin_5", "head.fc1"},
    {"^head\\.conv_5_bn", "backbone.conv5.bn"},
    {"^head\\.conv_5", "backbone.conv5.conv"},
    {"^s1\\.pathway0_stem\\.conv_xy", "backbone.stem.spatial"},
    {"^s1\\.pathway0_stem\\.conv", "backbone.stem.temporal"},
    {"^s1\\.pathway0_stem", "backbone.stem"},
    {"^s(\\d)\\.pathway0_res(\\d+)\\.", "backbone.stage<$1>.$2."},
    {"branch2\\.([abc])_bn", "$1.bn"},
    {"branch2\\.se", "se"},
    {"branch2\\.([abc])\\.", "$1.conv."},
    {"branch1_bn", "shortcut.bn"},
    {"branch1\\.", "shortcut.conv."},
    {"<2>", "1"},
    {"<3>", "2"},
    {"<4>", "3"},
    {"<5>", "4"}};
constexpr WeightNameRule mmaction2_rules[] = {{"^cls_head\\.fc_cls", "head.fc"},
                                              {"slow_path\\.conv1_lateral", "lateral.stem"},
                                              {"slow_path\\.layer(\\d)_lateral", "lateral.stage$1"},
                                              {"(slow|fast)_path\\.conv1", "$1.stem"},
                                              {"(slow|fast)_path\\.layer(\\d)", "$1.stage$2"},
                                              {"(\\.\\d+)\\.conv1\\.", "$1.a."},
                                              {"(\\.\\d+)\\.conv2\\.", "$1.b."},
                                              {"(\\.\\d+)\\.conv3\\.", "$1.c."},
                                              {"downsample", "shortcut"}};
constexpr WeightNameRule mmaction2_single_rules[] = {{"^cls_head\\.fc_cls", "head.fc"},
                                                     {"^backbone\\.conv1", "backbone.stem"},
                                                     {"^backbone\\.layer(\\d)", "backbone.stage$1"},
                                                     {"(\\.\\d+)\\.conv1\\.", "$1.a."},
                                                     {"(\\.\\d+)\\.conv2\\.", "$1.b."},
                                                     {"(\\.\\d+)\\.conv3\\.", "$1.c."},
                                                     {"downsample", "shortcut"}};
constexpr WeightNameRule pytorchvideo_rules[] = {
    {"^blocks\\.\\d+\\.proj", "head.fc"},
    {"^blocks\\.0\\.multipathway_fusion", "backbone.lateral.stem"},
    {"^blocks\\.(\\d)\\.multipathway_fusion", "backbone.lateral.stage$1"},
    {"conv_fast_to_slow", "conv"},
    {"^blocks\\.0\\.multipathway_blocks\\.0", "backbone.slow.stem"},
    {"^blocks\\.0\\.multipathway_blocks\\.1", "backbone.fast.stem"},
    {"^blocks\\.(\\d)\\.multipathway_blocks\\.0\\.res_blocks", "backbone.slow.stage$1"},
    {"^blocks\\.(\\d)\\.multipathway_blocks\\.1\\.res_blocks", "backbone.fast.stage$1"},
    {"branch1_conv", "shortcut.conv"},
    {"branch1_norm", "shortcut.bn"},
    {"branch2\\.conv_([abc])", "$1.conv"},
    {"branch2\\.norm_([abc])", "$1.bn"},
    {"\\.norm\\.", ".bn."}};
constexpr WeightNameRule pytorchvideo_single_rules[] = {{"^blocks\\.\\d+\\.proj", "head.fc"},
                                                        {"^blocks\\.0\\.", "backbone.stem."},
                                                        {"^blocks\\.(\\d)\\.res_blocks", "backbone.stage$1"},
                                                        {"branch1_conv", "shortcut.conv"},
                                                        {"branch1_norm", "shortcut.bn"},
                                                        {"branch2\\.conv_([abc])", "$1.conv"},
                                                        {"branch2\\.norm_([abc])", "$1.bn"},
                                                        {"\\.norm\\.", ".bn."}};

// TimeSformer's repository has our names, but for the part of the network.
constexpr WeightNameRule timesformer_rules[] = {{"^(?!head\\.)(.+)$", "backbone.$1"},
                                                {"^head\\.", "head.fc."}};
constexpr WeightNameRule hugging_face_rules[] = {{"^classifier", "head.fc"},
                                                 {"^timesformer\\.(embeddings\\.|encoder\\.)?", "backbone."},
                                                 {"position_embeddings", "pos_embed"},
                                                 {"time_embeddings", "time_embed"},
                                                 {"patch_embeddings\\.projection", "patch_embed.proj"},
                                                 {"\\.layer\\.", ".blocks."},
                                                 {"temporal_layernorm", "temporal_norm1"},
                                                 {"temporal_dense", "temporal_fc"},
                                                 {"layernorm_before", "norm1"},
                                                 {"layernorm_after", "norm2"},
                                                 {"backbone\\.layernorm", "backbone.norm"},
                                                 {"attention\\.attention", "attn"},
                                                 {"attention\\.output\\.dense", "attn.proj"},
                                                 {"intermediate\\.dense", "mlp.fc1"},
                                                 {"output\\.dense", "mlp.fc2"}};
// A divided block has two attentions, each with its norm; any other has one, and a list of norms.
constexpr WeightNameRule mmaction2_divided_rules[] = {{"^cls_head\\.fc_cls", "head.fc"},
                                                      {"patch_embed\\.projection", "patch_embed.proj"},
                                                      {"transformer_layers\\.layers", "blocks"},
                                                      {"in_proj_", "qkv."},
                                                      {"out_proj", "proj"},
                                                      {"ffns\\.0\\.norm", "norm2"},
                                                      {"ffns\\.0\\.layers\\.0\\.0", "mlp.fc1"},
                                                      {"ffns\\.0\\.layers\\.1", "mlp.fc2"},
                                                      {"attentions\\.0\\.norm", "temporal_norm1"},
                                                      {"attentions\\.0\\.attn", "temporal_attn"},
                                                      {"attentions\\.0\\.temporal_fc", "temporal_fc"},
                                                      {"attentions\\.1\\.norm", "norm1"},
                                                      {"attentions\\.1\\.attn", "attn"}};
constexpr WeightNameRule mmaction2_joint_rules[] = {{"^cls_head\\.fc_cls", "head.fc"},
                                                    {"patch_embed\\.projection", "patch_embed.proj"},
                                                    {"transformer_layers\\.layers", "blocks"},
                                                    {"in_proj_", "qkv."},
                                                    {"out_proj", "proj"},
                                                    {"ffns\\.0\\.layers\\.0\\.0", "mlp.fc1"},
                                                    {"ffns\\.0\\.layers\\.1", "mlp.fc2"},
                                                    {"norms\\.0", "norm1"},
                                                    {"norms\\.1", "norm2"},
                                                    {"attentions\\.0\\.attn", "attn"}};

constexpr WeightSetting facebook_settings[] = {{"model.backbone.lateral_norm", "true"},
                                               {"model.backbone.slow_index", "\"linspace\""},
                                               {"model.head.concat", "\"slow_fast\""}};
constexpr WeightSetting mmaction2_settings[] = {{"model.backbone.lateral_norm", "false"},
                                                {"model.backbone.slow_index", "\"stride\""},
                                                {"model.head.concat", "\"fast_slow\""}};

// The first whose sign is there is taken: what is special comes before what is general.
constexpr std::array tables{
    WeightNameTable{"marey", "backbone.slow.", {}, {}},
    WeightNameTable{"marey", "backbone.stage1.", {}, {}},
    WeightNameTable{"marey", "backbone.patch_embed.proj.", {}, {}},
    WeightNameTable{"mmaction2", "backbone.slow_path.", mmaction2_rules, mmaction2_settings},
    WeightNameTable{"mmaction2",
                    "backbone.transformer_layers.layers.0.attentions.0.temporal_fc.",
                    mmaction2_divided_rules,
                    {}},
    WeightNameTable{"mmaction2", "backbone.transformer_layers.", mmaction2_joint_rules, {}},
    WeightNameTable{"mmaction2", "backbone.layer1.0.", mmaction2_single_rules, {}},
    WeightNameTable{"pyslowfast", "s1.pathway1_stem.", pyslowfast_rules, facebook_settings},
    WeightNameTable{"pyslowfast", "s1.pathway0_stem.conv_xy.", pyslowfast_x3d_rules, {}},
    WeightNameTable{"pyslowfast", "s1.pathway0_stem.", pyslowfast_single_rules, {}},
    WeightNameTable{"pytorchvideo", "blocks.0.multipathway_blocks.", pytorchvideo_rules, facebook_settings},
    WeightNameTable{"pytorchvideo", "blocks.0.conv.weight", pytorchvideo_single_rules, {}},
    WeightNameTable{"timesformer", "time_embed", timesformer_rules, {}},
    WeightNameTable{"hf", "timesformer.embeddings.", hugging_face_rules, {}},
};

}  // namespace

std::span<const WeightNameTable> weight_name_tables() { return tables; }

}  // namespace marey
