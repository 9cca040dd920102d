#include "data/batch_memory.hpp"

#include <ATen/ops/empty.h>

namespace marey::data {

std::uint8_t* BatchMemory::row(std::int64_t row, const ClipShape& shape) {
  std::lock_guard lock(mutex_);
  if (!pixels_.defined()) {
    pixels_ = at::empty({rows_, shape.views, shape.length, shape.height, shape.width, 3}, at::kByte);
    shape_ = shape;
  }
  if (shape != shape_) return nullptr;
  return pixels_.mutable_data_ptr<std::uint8_t>() + row * shape.bytes();
}

}  // namespace marey::data
