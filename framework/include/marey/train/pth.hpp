// The files that torch.save() writes, as torch.load(weights_only=True) reads them.
#pragma once
#include <marey/train/state.hpp>

#include <filesystem>
#include <string>

namespace marey {

// A zip file with the pickle of an OrderedDict of tensors, flushed to disk. `under`: the key of a dict around
// it, "model_state" say; empty: none. Tensors are written as contiguous ones on the CPU. Throws Error with
// the reason.
void write_pth(const std::filesystem::path&, const TensorMap&, const std::string& under = "");

}  // namespace marey
