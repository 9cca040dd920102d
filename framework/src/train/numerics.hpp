// What decides the numbers of a run beside its recipe: LibTorch's generators, threads and choice of
// algorithms.
#pragma once
#include <marey/train/experiment.hpp>

#include <c10/core/Device.h>
#include <nlohmann/json_fwd.hpp>

namespace marey {

// Seeds every generator of LibTorch, and sets threads and determinism as the recipe asks. Before the model is
// built.
void set_numerics(const Experiment::Training&, std::uint64_t seed);

// The generators of the CPU and of the device, as text by device: {"cpu": "00ff…"}.
nlohmann::json save_generators(c10::Device);
void load_generators(const nlohmann::json&, c10::Device);  // throws CheckpointError

}  // namespace marey
