// What a pickle holds, as plain data. Values live in an arena and point into it, because a pickle may share
// values and even build cycles.
#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace marey {

struct PickleValue {
  enum class Kind {
    none,
    boolean,  // integer
    integer,
    big_integer,  // text: little-endian two's complement
    real,
    text,
    bytes,    // text
    list,     // items; sets too
    tuple,    // items
    table,    // items: key, value, key, value, …
    global,   // text: "module.name"
    dtype,    // type
    storage,  // text: key; type; integer: elements
    tensor,   // items[0]: storage; integer: offset; sizes, strides in elements; type
    object,   // text: class; items: its state when it has one
  };
  Kind kind = Kind::none;
  std::uint64_t place = 0;  // byte of the file where it was made
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  c10::ScalarType type = c10::ScalarType::Undefined;
  std::vector<PickleValue*> items;
  std::vector<std::int64_t> sizes, strides;
};

using PickleArena = std::deque<PickleValue>;

}  // namespace marey
