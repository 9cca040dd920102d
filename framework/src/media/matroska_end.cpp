#include "media/matroska_end.hpp"

namespace marey::media {
namespace {

constexpr std::uint64_t ebml_header = 0x1A45DFA3, segment = 0x18538067;
constexpr std::uint64_t largest = std::uint64_t{1} << 62;

struct Number {
  std::uint64_t value = 0;
  int bytes = 0;         // 0: none could be read
  bool unknown = false;  // all bits set
};

// The leading zeros of the first byte tell the length. Of an id they are kept.
Number read_number(std::istream& in, bool keep_mark) {
  const int first = in.get();
  if (first <= 0) return {};
  int bytes = 1;
  while (!(first & 0x80 >> (bytes - 1))) ++bytes;
  Number out{static_cast<std::uint64_t>(keep_mark ? first : first & (0x7f >> (bytes - 1))), bytes};
  bool ones = (first | ((0xff << (8 - bytes)) & 0xff)) == 0xff;
  for (int i = 1; i < bytes; ++i) {
    const int next = in.get();
    if (next < 0) return {};
    out.value = out.value << 8 | static_cast<std::uint64_t>(next);
    ones = ones && next == 0xff;
  }
  out.unknown = ones;
  return out;
}

}  // namespace

std::int64_t matroska_size(std::istream& in) {
  std::uint64_t at = 0;
  for (int element = 0; element < 8; ++element) {
    const Number id = read_number(in, true), size = read_number(in, false);
    if (id.bytes == 0 || size.bytes == 0 || size.unknown || size.value > largest - at) return 0;
    if (element == 0 && id.value != ebml_header) return 0;
    at += static_cast<std::uint64_t>(id.bytes + size.bytes) + size.value;
    if (id.value == segment) return static_cast<std::int64_t>(at);
    in.seekg(static_cast<std::streamoff>(size.value), std::ios::cur);
  }
  return 0;
}

}  // namespace marey::media
