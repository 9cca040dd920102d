// Fixtures that hold a peer's weights, inputs and outputs, and the names that its weights have here.
#pragma once
#include "support/catch.hpp"
#include "support/places.hpp"

#include <marey/core/files.hpp>

#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/nn/module.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace marey::test {

using Tensors = std::map<std::string, at::Tensor>;

// Empty, with a warning, where the fixture is absent.
inline Tensors read_fixture(const std::string& name) {
  const auto folder = marey::test::fixture_folder("peers");
  const auto file = folder / (name + ".pt");
  Tensors out;
  if (!std::filesystem::exists(file)) {
    WARN("skipped: " << file.string() << " is absent (MAREY_FIXTURES names the folder of the fixtures)");
    return out;
  }
  const std::string bytes = read_file(file);
  const auto dict = torch::jit::pickle_load({bytes.begin(), bytes.end()}).toGenericDict();
  for (const auto& entry : dict)
    if (entry.value().isTensor()) {
      const at::Tensor& t = entry.value().toTensor();
      out[entry.key().toStringRef()] =
          t.scalar_type() == at::kHalf ? t.to(at::kFloat) : t;  // inputs are stored as halves
    }
  return out;
}

using NameRules = std::vector<std::pair<std::regex, std::string>>;

inline std::string rename(std::string name, const NameRules& rules) {
  for (const auto& [pattern, text] : rules) name = std::regex_replace(name, pattern, text);
  return name;
}

// Stages count from s2, blocks.1, layer1; the name of the lateral connection after a stage is that of the
// stage.
inline NameRules pyslowfast_names() {
  return {{std::regex("^head\\.projection"), "head.fc"},
          {std::regex("^s1_fuse\\.(conv_f2s|bn)"), "lateral.stem.$1"},
          {std::regex("^s(2|3|4)_fuse\\.(conv_f2s|bn)"), "lateral.stage<$1>.$2"},
          {std::regex("conv_f2s"), "conv"},
          {std::regex("^s1\\.pathway(\\d)_stem"), "pathway$1.stem"},
          {std::regex("^s(\\d)\\.pathway(\\d)_res(\\d+)\\."), "pathway$2.stage<$1>.$3."},
          {std::regex("branch2\\.([abc])_bn"), "$1.bn"},
          {std::regex("branch2\\.([abc])\\."), "$1.conv."},
          {std::regex("branch1_bn"), "shortcut.bn"},
          {std::regex("branch1\\."), "shortcut.conv."},
          {std::regex("<2>"), "1"},
          {std::regex("<3>"), "2"},
          {std::regex("<4>"), "3"},
          {std::regex("<5>"), "4"},
          {std::regex("^pathway0"), "backbone.slow"},
          {std::regex("^pathway1"), "backbone.fast"},
          {std::regex("^lateral"), "backbone.lateral"}};
}

inline NameRules mmaction2_names() {
  return {{std::regex("^cls_head\\.fc_cls"), "head.fc"},
          {std::regex("slow_path\\.conv1_lateral"), "lateral.stem"},
          {std::regex("slow_path\\.layer(\\d)_lateral"), "lateral.stage$1"},
          {std::regex("(slow|fast)_path\\.conv1"), "$1.stem"},
          {std::regex("(slow|fast)_path\\.layer(\\d)"), "$1.stage$2"},
          {std::regex("(\\.\\d+)\\.conv1\\."), "$1.a."},
          {std::regex("(\\.\\d+)\\.conv2\\."), "$1.b."},
          {std::regex("(\\.\\d+)\\.conv3\\."), "$1.c."},
          {std::regex("downsample"), "shortcut"}};
}

inline NameRules pytorchvideo_names() {
  return {{std::regex("^blocks\\.\\d+\\.proj"), "head.fc"},
          {std::regex("^blocks\\.0\\.multipathway_fusion"), "backbone.lateral.stem"},
          {std::regex("^blocks\\.(\\d)\\.multipathway_fusion"), "backbone.lateral.stage$1"},
          {std::regex("conv_fast_to_slow"), "conv"},
          {std::regex("^blocks\\.0\\.multipathway_blocks\\.0"), "backbone.slow.stem"},
          {std::regex("^blocks\\.0\\.multipathway_blocks\\.1"), "backbone.fast.stem"},
          {std::regex("^blocks\\.(\\d)\\.multipathway_blocks\\.0\\.res_blocks"), "backbone.slow.stage$1"},
          {std::regex("^blocks\\.(\\d)\\.multipathway_blocks\\.1\\.res_blocks"), "backbone.fast.stage$1"},
          {std::regex("branch1_conv"), "shortcut.conv"},
          {std::regex("branch1_norm"), "shortcut.bn"},
          {std::regex("branch2\\.conv_([abc])"), "$1.conv"},
          {std::regex("branch2\\.norm_([abc])"), "$1.bn"},
          {std::regex("\\.norm\\."), ".bn."}};
}

// The tensors "PREFIX.peer name" under our names.
inline Tensors renamed(const Tensors& fixture, const std::string& prefix, const NameRules& rules) {
  Tensors out;
  for (const auto& [key, tensor] : fixture)
    if (key.starts_with(prefix)) out[rename(key.substr(prefix.size()), rules)] = tensor;
  return out;
}

// Without the counters of the norms' batches, which no output depends on and the fixtures leave out.
inline Tensors state_of(const torch::nn::Module& module, const std::string& prefix) {
  Tensors out;
  for (const auto& p : module.named_parameters()) out[prefix + p.key()] = p.value();
  for (const auto& b : module.named_buffers())
    if (!b.key().ends_with("num_batches_tracked")) out[prefix + b.key()] = b.value();
  return out;
}

}  // namespace marey::test
