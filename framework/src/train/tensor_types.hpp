// Names of element types in the safetensors format.
#pragma once
#include <c10/core/ScalarType.h>

#include <optional>
#include <string_view>

namespace marey {

std::optional<std::string_view> tensor_type_name(c10::ScalarType);  // nullopt: the format has none
std::optional<c10::ScalarType> tensor_type(std::string_view name);  // nullopt: unknown, or not held here

}  // namespace marey
