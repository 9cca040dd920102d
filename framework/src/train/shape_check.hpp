// Whether a model takes the clips of a data set, told without reading one.
#pragma once
#include <marey/data/dataset.hpp>
#include <marey/model/model.hpp>

#include <string_view>

namespace marey {

// Runs a made-up video through the data set's pipeline and asks the model about what comes out. Throws
// UsageError when it refuses. `which`: the data set's key. Says nothing where the pipeline cannot tell.
void check_shapes(const Dataset&, bool training, const Model&, std::string_view which);

}  // namespace marey
