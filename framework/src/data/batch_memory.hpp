// The memory of one batch: allocated once, when the first of its samples knows its shape, and filled row by
// row.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <mutex>

namespace marey::data {

struct ClipShape {
  std::int64_t views = 0, length = 0, height = 0, width = 0;
  std::int64_t bytes() const { return views * length * height * width * 3; }
  friend bool operator==(const ClipShape&, const ClipShape&) = default;
};

class BatchMemory {
 public:
  explicit BatchMemory(std::int64_t rows) : rows_(rows) {}

  // The first byte of a row, for pixels [V, T, H, W, C]; null when the batch already has another shape.
  // Thread-safe.
  std::uint8_t* row(std::int64_t row, const ClipShape&);
  const at::Tensor& pixels() const {
    return pixels_;
  }  // uint8 [N, V, T, H, W, C]; undefined before the first row()

 private:
  std::int64_t rows_;
  std::mutex mutex_;
  ClipShape shape_;
  at::Tensor pixels_;
};

}  // namespace marey::data
