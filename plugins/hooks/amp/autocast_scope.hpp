// Mixed precision while the forward pass runs.
#pragma once
#include <marey/train/hook.hpp>

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <memory>

namespace marey::hooks {

// LibTorch picks for each operation `dtype` or float32. What was set before comes back with the scope's end,
// and the copies of weights in `dtype` are dropped with the outermost scope.
std::unique_ptr<ForwardScope> autocast_scope(c10::DeviceType, c10::ScalarType dtype);

}  // namespace marey::hooks
