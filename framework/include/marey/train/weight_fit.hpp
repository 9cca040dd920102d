// How weights fit a model: name by name, shape by shape.
#pragma once
#include <marey/model/model.hpp>
#include <marey/train/state.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace marey {

struct WeightFit {
  struct Unlike {
    std::string name;
    std::vector<std::int64_t> model, file;  // shapes
  };
  std::vector<std::string> fitting;
  std::vector<std::string> missing;  // of the model, absent in the file
  std::vector<std::string> unused;   // of the file, unknown to the model
  std::vector<Unlike> unlike;        // of another shape

  bool complete() const { return missing.empty() && unused.empty() && unlike.empty(); }
};

// The counters of batches of a norm (`num_batches_tracked`) are missed only where its statistics are missing
// too: old files have none, and no output depends on them.
WeightFit compare_weights(const Model&, const TensorMap&);

// A line for each kind of difference, with the first few names or all of them; empty when there is none.
std::string differences_text(const WeightFit&, bool all = false);

}  // namespace marey
