// A session as a checkpoint, and back.
#pragma once
#include "train/session.hpp"

#include <marey/train/checkpoint.hpp>

namespace marey {

Checkpoint make_checkpoint(Session&);

// Afterwards the session goes on as the one that was saved would have. Throws CheckpointError for one that
// does not fit and UsageError, with the keys, where the recipe has changed in a way that makes it another
// run.
void resume(Session&, const std::filesystem::path& checkpoint, bool allow_recipe_change);

}  // namespace marey
