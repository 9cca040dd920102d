// Weights out of files that other programs wrote: .pth, .pyth and .pt of torch.save() (the zip form and the
// older one) and of LibTorch, and .safetensors. The reader runs no code of the file and checks every bound.
#pragma once
#include <marey/train/state.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace marey {

struct ForeignWeights {
  TensorMap weights;        // of the state dict, contiguous, in memory of their own, on the CPU
  std::string container;    // "zip", "legacy", "safetensors"
  std::string found_under;  // "model_state", "state_dict", "model", …; empty: the file is the state dict
  // What else the file holds, as far as it is plain: numbers and texts; a tensor is its type and shape as
  // text.
  nlohmann::json rest = nlohmann::json::object();
};

// What a file is goes by its content, not by its name. Throws CheckpointError naming the file, the byte and
// what is wrong.
ForeignWeights read_foreign_weights(const std::filesystem::path&);

}  // namespace marey
