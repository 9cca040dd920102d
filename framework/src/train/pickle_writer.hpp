// The pickle of a dict of tensors, in protocol 2 as torch.save() writes it.
#pragma once
#include <marey/train/state.hpp>

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace marey {

class PickleWriter {
 public:
  PickleWriter();

  void begin_dict();  // what follows are its keys and values
  void end_dict();
  void begin_ordered_dict();
  void end_ordered_dict();
  void text(std::string_view);
  // Of contiguous elements in a storage of its own, which the archive keeps as `data/<storage>`.
  void tensor(const at::Tensor&, std::string_view storage_class, const std::string& storage);
  std::string finish();

 private:
  void op(std::uint8_t code) { out_.push_back(static_cast<char>(code)); }
  void global(std::string_view module, std::string_view name);
  void integer(std::int64_t);
  void integers(at::IntArrayRef);  // as a tuple
  void empty_ordered_dict();
  void little_endian(std::uint64_t value, int bytes);

  std::string out_;
};

// "FloatStorage" and so on; nullopt for an element type without one.
std::optional<std::string_view> storage_class_name(c10::ScalarType);

}  // namespace marey
