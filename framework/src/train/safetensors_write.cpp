#include "train/fault.hpp"
#include "train/file_descriptor.hpp"
#include "train/tensor_types.hpp"

#include <marey/core/error.hpp>
#include <marey/train/safetensors.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace marey {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

std::string header(const std::filesystem::path& path, const TensorMap& tensors,
                   const SafetensorsMetadata& metadata) {
  auto json = nlohmann::json::object();
  if (!metadata.empty()) json["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    if (name == "__metadata__")
      throw Error(fmt::format("{}: no tensor can be called '__metadata__'", path.string()));
    if (!tensor.defined()) throw Error(fmt::format("{}: tensor '{}' is undefined", path.string(), name));
    const auto type = tensor_type_name(tensor.scalar_type());
    if (!type)
      throw Error(fmt::format("{}: tensor '{}' has the element type {}, which safetensors cannot hold",
                              path.string(), name, c10::toString(tensor.scalar_type())));
    const std::uint64_t end = offset + static_cast<std::uint64_t>(tensor.numel()) * tensor.element_size();
    json[name] = {{"dtype", *type}, {"shape", tensor.sizes().vec()}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the data begin at a multiple of eight
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const TensorMap& tensors,
                       const SafetensorsMetadata& metadata) {
  std::string text;
  try {
    text = header(path, tensors, metadata);
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("{}: a name is no valid UTF-8 ({})", path.string(), e.what()));
  }
  auto file = FileDescriptor::create(path);
  const std::uint64_t length = text.size();
  file.write(&length, sizeof length);
  file.write(text.data(), text.size());
  fault_point("ckpt.tensors");
  for (const auto& [name, tensor] : tensors) {  // in the order of the header; one copy at a time
    const at::Tensor local = tensor.detach().cpu().contiguous();
    file.write(local.const_data_ptr(), local.nbytes());
  }
  file.sync_and_close();
}

}  // namespace marey
