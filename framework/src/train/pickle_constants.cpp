// Numbers, texts and bytes of a pickle.
#include "train/pickle_opcodes.hpp"
#include "train/pickle_reader.hpp"

#include <algorithm>
#include <cstring>

namespace marey {

bool PickleReader::constant(std::uint8_t opcode) {
  const auto push_integer = [this](Kind kind, std::int64_t value) {
    PickleValue* out = make(kind);
    out->integer = value;
    push(out);
  };
  switch (opcode) {
    case pickle_op::none:
      push(make(Kind::none));
      return true;
    case pickle_op::newtrue:
      push_integer(Kind::boolean, 1);
      return true;
    case pickle_op::newfalse:
      push_integer(Kind::boolean, 0);
      return true;
    case pickle_op::binint:
      push_integer(Kind::integer, source_.number<std::int32_t>());
      return true;
    case pickle_op::binint1:
      push_integer(Kind::integer, source_.byte());
      return true;
    case pickle_op::binint2:
      push_integer(Kind::integer, source_.number<std::uint16_t>());
      return true;
    case pickle_op::long1:
    case pickle_op::long4: {
      const std::uint64_t size =
          opcode == pickle_op::long1 ? source_.byte() : source_.number<std::uint32_t>();
      push_text(Kind::big_integer, size);
      PickleValue& value = *stack_.back();
      if (size > sizeof value.integer) return true;
      const bool negative = size > 0 && (static_cast<std::uint8_t>(value.text.back()) & 0x80) != 0;
      value.integer = negative ? -1 : 0;
      std::memcpy(&value.integer, value.text.data(), size);
      value.kind = Kind::integer;
      value.text.clear();
      return true;
    }
    case pickle_op::binfloat: {  // the one number of the format that is big-endian
      std::string bytes = source_.take(sizeof(double));
      std::ranges::reverse(bytes);
      PickleValue* out = make(Kind::real);
      std::memcpy(&out->real, bytes.data(), sizeof(double));
      push(out);
      return true;
    }
    case pickle_op::short_binunicode:
    case pickle_op::short_binstring:
      push_text(Kind::text, source_.byte());
      return true;
    case pickle_op::binunicode:
    case pickle_op::binstring:
      push_text(Kind::text, source_.number<std::uint32_t>());
      return true;
    case pickle_op::binunicode8:
      push_text(Kind::text, source_.number<std::uint64_t>());
      return true;
    case pickle_op::short_binbytes:
      push_text(Kind::bytes, source_.byte());
      return true;
    case pickle_op::binbytes:
      push_text(Kind::bytes, source_.number<std::uint32_t>());
      return true;
    case pickle_op::binbytes8:
      push_text(Kind::bytes, source_.number<std::uint64_t>());
      return true;
    default:
      return false;
  }
}

}  // namespace marey
