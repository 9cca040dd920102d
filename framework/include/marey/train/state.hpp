// What a component keeps in a checkpoint: small values as JSON, tensors in safetensors.
#pragma once
#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace marey {

using TensorMap = std::map<std::string, at::Tensor>;

struct State {
  nlohmann::json values = nlohmann::json::object();
  TensorMap tensors;
  bool empty() const { return values.empty() && tensors.empty(); }
};

}  // namespace marey
