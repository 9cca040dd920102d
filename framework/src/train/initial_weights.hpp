// The weights that a recipe's [init] starts from.
#pragma once
#include <marey/train/experiment.hpp>

namespace marey {

// Does nothing where the recipe names no weights. Says in the log what was loaded and what was not. Throws
// CheckpointError naming the file and what does not fit.
void load_initial_weights(Model&, const LoadedRecipe&);

}  // namespace marey
