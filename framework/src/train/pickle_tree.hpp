// What is where in the tree of a weight file: the state dict, and the rest as JSON.
#pragma once
#include "train/pickle_value.hpp"
#include "train/stored_tensors.hpp"

#include <marey/train/foreign_weights.hpp>

namespace marey {

// Fills `weights`, `found_under` and `rest`. Throws CheckpointError where there is no tensor, or the tree is
// too deep.
void read_tree(const PickleValue& root, StoredTensors&, const std::filesystem::path&, ForeignWeights&);

}  // namespace marey
