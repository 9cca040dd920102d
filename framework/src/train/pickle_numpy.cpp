// Numbers of numpy, such as the accuracy that a trainer keeps in its checkpoint, and the bytes that they come
// as.
#include "train/pickle_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace marey {

// Python 2's protocols have no bytes: Python 3 writes them as Latin-1 text in UTF-8.
PickleValue* PickleReader::encoded(const PickleValue& arguments) {
  const auto& given = arguments.items;
  if (given.size() != 2 || given[0]->kind != Kind::text || given[1]->kind != Kind::text ||
      given[1]->text != "latin1")
    source_.refuse_at(opcode_place_, "an encoding other than latin1");
  const std::string& text = given[0]->text;
  charge(text.size() / 8);
  PickleValue* out = make(Kind::bytes);
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<std::uint8_t>(text[i]);
    if (c >= 0x80) {
      const auto low = i + 1 < text.size() ? static_cast<std::uint8_t>(text[++i]) : std::uint8_t{0};
      if ((c & 0xfc) != 0xc0 || (low & 0xc0) != 0x80)
        source_.refuse_at(opcode_place_, "bytes that are no latin1");
      c = static_cast<std::uint8_t>((c & 0x03) << 6 | (low & 0x3f));
    }
    out->text += static_cast<char>(c);
  }
  return out;
}

PickleValue* PickleReader::numpy_scalar(const PickleValue& arguments) {
  const auto& given = arguments.items;
  const bool plain = given.size() == 2 && given[0]->kind == Kind::object && given[0]->text == "numpy.dtype" &&
                     !given[0]->items.empty() && given[0]->items[0]->kind == Kind::text &&
                     given[1]->kind == Kind::bytes;
  PickleValue* out = make(Kind::object);
  out->text = "numpy.scalar";
  if (!plain) return out;
  const auto& about = given[0]->items;  // the type's code, then its state: (version, byte order, …)
  const bool big_endian = about.size() > 1 && about[1]->items.size() > 1 && about[1]->items[1]->text == ">";
  const std::string_view code = about[0]->text;
  std::string bytes = given[1]->text;
  if (big_endian) std::ranges::reverse(bytes);
  const auto take = [&]<class T>(T value, Kind kind) {
    if (bytes.size() != sizeof value) return;
    std::memcpy(&value, bytes.data(), sizeof value);
    out->text.clear();
    out->kind = kind;
    if (kind == Kind::real)
      out->real = static_cast<double>(value);
    else
      out->integer = static_cast<std::int64_t>(value);
  };
  if (code == "f8") take(double{}, Kind::real);
  if (code == "f4") take(float{}, Kind::real);
  if (code == "i8") take(std::int64_t{}, Kind::integer);
  if (code == "i4") take(std::int32_t{}, Kind::integer);
  if (code == "i2") take(std::int16_t{}, Kind::integer);
  if (code == "i1") take(std::int8_t{}, Kind::integer);
  if (code == "u8" && bytes.size() == 8 && (bytes.back() & 0x80) == 0) take(std::uint64_t{}, Kind::integer);
  if (code == "u4") take(std::uint32_t{}, Kind::integer);
  if (code == "u2") take(std::uint16_t{}, Kind::integer);
  if (code == "u1") take(std::uint8_t{}, Kind::integer);
  if (code == "b1") take(std::uint8_t{}, Kind::boolean);
  return out;
}

}  // namespace marey
