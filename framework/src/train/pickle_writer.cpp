#include "train/pickle_writer.hpp"

#include "train/pickle_opcodes.hpp"

#include <limits>

namespace marey {

namespace op_code = pickle_op;

PickleWriter::PickleWriter() {
  op(op_code::proto);
  op(2);
}

void PickleWriter::begin_dict() {
  op(op_code::empty_dict);
  op(op_code::mark);
}

void PickleWriter::end_dict() { op(op_code::setitems); }

void PickleWriter::begin_ordered_dict() {
  empty_ordered_dict();
  op(op_code::mark);
}

void PickleWriter::end_ordered_dict() { op(op_code::setitems); }

void PickleWriter::text(std::string_view text) {
  op(op_code::binunicode);
  little_endian(text.size(), 4);
  out_ += text;
}

// torch._utils._rebuild_tensor_v2(storage, offset, size, stride, requires_grad, backward_hooks)
void PickleWriter::tensor(const at::Tensor& tensor, std::string_view storage_class,
                          const std::string& storage) {
  global("torch._utils", "_rebuild_tensor_v2");
  op(op_code::mark);
  op(op_code::mark);
  text("storage");
  global("torch", storage_class);
  text(storage);
  text("cpu");
  integer(tensor.numel());
  op(op_code::tuple);
  op(op_code::persid);
  integer(0);
  integers(tensor.sizes());
  integers(tensor.strides());
  op(op_code::newfalse);
  empty_ordered_dict();
  op(op_code::tuple);
  op(op_code::reduce);
}

std::string PickleWriter::finish() {
  op(op_code::stop);
  return std::move(out_);
}

void PickleWriter::global(std::string_view module, std::string_view name) {
  op(op_code::global);
  out_.append(module).push_back('\n');
  out_.append(name).push_back('\n');
}

void PickleWriter::integer(std::int64_t value) {
  const bool narrow =
      value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  if (narrow) {
    op(op_code::binint);
    little_endian(static_cast<std::uint64_t>(value), 4);
  } else {
    op(op_code::long1);
    op(8);
    little_endian(static_cast<std::uint64_t>(value), 8);
  }
}

void PickleWriter::integers(at::IntArrayRef values) {
  op(op_code::mark);
  for (const std::int64_t value : values) integer(value);
  op(op_code::tuple);
}

void PickleWriter::empty_ordered_dict() {
  global("collections", "OrderedDict");
  op(op_code::empty_tuple);
  op(op_code::reduce);
}

void PickleWriter::little_endian(std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) op(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::optional<std::string_view> storage_class_name(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float:
      return "FloatStorage";
    case c10::ScalarType::Double:
      return "DoubleStorage";
    case c10::ScalarType::Half:
      return "HalfStorage";
    case c10::ScalarType::BFloat16:
      return "BFloat16Storage";
    case c10::ScalarType::Long:
      return "LongStorage";
    case c10::ScalarType::Int:
      return "IntStorage";
    case c10::ScalarType::Short:
      return "ShortStorage";
    case c10::ScalarType::Char:
      return "CharStorage";
    case c10::ScalarType::Byte:
      return "ByteStorage";
    case c10::ScalarType::Bool:
      return "BoolStorage";
    default:
      return std::nullopt;
  }
}

}  // namespace marey
