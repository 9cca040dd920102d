// A model's parameters and buffers by name.
#pragma once
#include <marey/model/model.hpp>
#include <marey/train/state.hpp>

namespace marey {

TensorMap model_weights(const Model&);  // share memory with the model

}  // namespace marey
