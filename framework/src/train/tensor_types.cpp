#include "train/tensor_types.hpp"

#include <array>
#include <utility>

namespace marey {
namespace {

constexpr std::array types{
    std::pair{c10::ScalarType::Bool, std::string_view("BOOL")},
    std::pair{c10::ScalarType::Byte, std::string_view("U8")},
    std::pair{c10::ScalarType::Char, std::string_view("I8")},
    std::pair{c10::ScalarType::Short, std::string_view("I16")},
    std::pair{c10::ScalarType::UInt16, std::string_view("U16")},
    std::pair{c10::ScalarType::Int, std::string_view("I32")},
    std::pair{c10::ScalarType::UInt32, std::string_view("U32")},
    std::pair{c10::ScalarType::Long, std::string_view("I64")},
    std::pair{c10::ScalarType::UInt64, std::string_view("U64")},
    std::pair{c10::ScalarType::Half, std::string_view("F16")},
    std::pair{c10::ScalarType::BFloat16, std::string_view("BF16")},
    std::pair{c10::ScalarType::Float, std::string_view("F32")},
    std::pair{c10::ScalarType::Double, std::string_view("F64")},
    std::pair{c10::ScalarType::Float8_e4m3fn, std::string_view("F8_E4M3")},
    std::pair{c10::ScalarType::Float8_e5m2, std::string_view("F8_E5M2")},
    std::pair{c10::ScalarType::ComplexFloat, std::string_view("C64")},
};

}  // namespace

std::optional<std::string_view> tensor_type_name(c10::ScalarType type) {
  for (const auto& [known, name] : types)
    if (known == type) return name;
  return std::nullopt;
}

std::optional<c10::ScalarType> tensor_type(std::string_view wanted) {
  for (const auto& [type, name] : types)
    if (name == wanted) return type;
  return std::nullopt;
}

}  // namespace marey
