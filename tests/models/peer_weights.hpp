// Fixtures that hold a peer's weights, inputs and outputs, and the names that its weights have here.
#pragma once
#include "support/catch.hpp"
#include "support/places.hpp"

#include <marey/train/foreign_weights.hpp>
#include <marey/train/weight_names.hpp>

#include <torch/nn/module.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

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
  for (const auto& [name, t] : read_foreign_weights(file).weights)
    out[name] = t.scalar_type() == at::kHalf ? t.to(at::kFloat) : t;  // inputs are stored as halves
  return out;
}

// The tensors "PREFIX.peer name" under our names.
inline Tensors renamed(const Tensors& fixture, const std::string& prefix, std::string_view project) {
  Tensors weights, out;
  for (const auto& [key, tensor] : fixture)
    if (key.starts_with("w.")) weights[key.substr(2)] = tensor;
  for (const auto& [ours, theirs] : with_own_names(weights, std::string(project)).names)
    if (const auto found = fixture.find(prefix + theirs); found != fixture.end()) out[ours] = found->second;
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
