// Activation checkpointing: less memory for more time.
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace marey {

using TensorFunction = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

// part(inputs), of which only the inputs are kept: the backward pass runs `part` a second time, with the
// random numbers and the autocast of the first, and gets the gradients that it would have got without.
// `parameters`: those that `part` uses besides its inputs. `part` must be repeatable: it draws from the
// default generators only, and changes nothing that it reads (a batch norm's running statistics, for one,
// would move twice). Where no gradient is wanted this is just part(inputs).
std::vector<at::Tensor> recompute(const TensorFunction& part, const std::vector<at::Tensor>& inputs,
                                  const std::vector<at::Tensor>& parameters);

}  // namespace marey
