#include "train/stored_tensors.hpp"

#include <marey/core/error.hpp>

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace marey {
namespace {

// The number of elements, and how many the tensor's reach in its storage; false: beyond 63 bits.
bool measure(const PickleValue& tensor, std::int64_t& elements, std::int64_t& reach) {
  elements = 1, reach = tensor.integer;
  bool empty = false;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    const std::int64_t size = tensor.sizes[i];
    std::int64_t span = 0;
    empty = empty || size == 0;
    // Zero sizes aside, the product must fit too: LibTorch computes strides from it.
    if (__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements) ||
        __builtin_mul_overflow(std::max<std::int64_t>(size - 1, 0), tensor.strides[i], &span) ||
        __builtin_add_overflow(reach, span, &reach))
      return false;
  }
  if (empty) elements = 0, reach = 0;
  return empty || !__builtin_add_overflow(reach, std::int64_t{1}, &reach);
}

}  // namespace

void StoredTensors::refuse(const std::string& name, const std::string& what) const {
  throw CheckpointError(
      fmt::format("{}: cannot be read as weights: the tensor '{}' {}", path_.string(), name, what));
}

at::Tensor StoredTensors::make(const PickleValue& tensor, const std::string& name) {
  const auto negative = [](std::int64_t n) { return n < 0; };
  if (negative(tensor.integer) || std::ranges::any_of(tensor.sizes, negative) ||
      std::ranges::any_of(tensor.strides, negative))
    refuse(name, fmt::format("has a negative number in its offset {}, shape [{}] or strides [{}]",
                             tensor.integer, fmt::join(tensor.sizes, ", "), fmt::join(tensor.strides, ", ")));
  std::int64_t elements = 0, reach = 0;
  if (!measure(tensor, elements, reach))
    refuse(name, fmt::format("of shape [{}] and strides [{}] is too large", fmt::join(tensor.sizes, ", "),
                             fmt::join(tensor.strides, ", ")));
  const auto width = static_cast<std::int64_t>(c10::elementSize(tensor.type));
  const auto options = at::TensorOptions().dtype(tensor.type);
  if (elements == 0) return at::empty(tensor.sizes, options);

  const at::Tensor bytes = storage(*tensor.items[0], tensor.type, name);
  const std::int64_t stored = bytes.numel() / width;
  if (reach > stored)
    refuse(name,
           fmt::format("of shape [{}], strides [{}] and offset {} reaches element {} of a storage of {}",
                       fmt::join(tensor.sizes, ", "), fmt::join(tensor.strides, ", "), tensor.integer, reach,
                       stored));
  if (static_cast<std::uint64_t>(elements) > copies_left_ / static_cast<std::uint64_t>(width))
    refuse(name,
           fmt::format(
               "of shape [{}] makes the tensors of the file take far more memory than the file has bytes",
               fmt::join(tensor.sizes, ", ")));
  copies_left_ -= static_cast<std::uint64_t>(elements * width);

  // Copied by hand: the elements of any type are bytes here, and no stride has to please LibTorch.
  at::Tensor out = at::empty(tensor.sizes, options);
  const auto* from = static_cast<const char*>(bytes.const_data_ptr()) + tensor.integer * width;
  auto* to = static_cast<char*>(out.data_ptr());
  const std::size_t dims = tensor.sizes.size();
  std::int64_t run = 1;  // elements of the innermost dimensions that lie one after another
  std::size_t outer = dims;
  while (outer > 0 && (tensor.sizes[outer - 1] == 1 || tensor.strides[outer - 1] == run))
    run *= tensor.sizes[--outer];
  std::vector<std::int64_t> index(outer, 0);
  for (std::int64_t done = 0; done < elements; done += run) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < outer; ++d) at += index[d] * tensor.strides[d];
    std::memcpy(to + done * width, from + at * width, static_cast<std::size_t>(run * width));
    for (std::size_t d = outer; d-- > 0 && ++index[d] == tensor.sizes[d];) index[d] = 0;
  }
  if (tensor.type == c10::ScalarType::Bool &&
      std::any_of(to, to + elements, [](char b) { return static_cast<unsigned char>(b) > 1; }))
    refuse(name, "holds a boolean that is neither 0 nor 1");
  return out;
}

at::Tensor StoredTensors::storage(const PickleValue& storage, c10::ScalarType type, const std::string& name) {
  const auto span = spans_.find(storage.text);
  if (span == spans_.end())
    refuse(name, fmt::format("lies in the storage '{}', which the file has not got", storage.text));
  const auto width = c10::elementSize(storage.type);
  const std::uint64_t bytes = span->second.bytes;
  // A storage without a type of its own counts in bytes; its length is that of the file's bytes all the same.
  if (static_cast<std::uint64_t>(storage.integer) > bytes / width ||
      static_cast<std::uint64_t>(storage.integer) * width != bytes)
    refuse(name, fmt::format(
                     "lies in the storage '{}' of {} elements of {} bytes, but the file holds {} bytes of it",
                     storage.text, storage.integer, width, bytes));
  if (bytes % c10::elementSize(type) != 0)
    refuse(name, fmt::format("lies in the storage '{}' of {} bytes, no multiple of {}", storage.text, bytes,
                             c10::elementSize(type)));
  const auto found = storages_.find(storage.text);
  if (found != storages_.end()) return found->second;
  at::Tensor out =
      at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions().dtype(c10::ScalarType::Byte));
  if (bytes > 0) file_.read(out.data_ptr(), bytes, span->second.begin);
  return storages_.emplace(storage.text, out).first->second;
}

}  // namespace marey
