#include "train/file_descriptor.hpp"
#include "train/tensor_types.hpp"

#include <marey/core/error.hpp>
#include <marey/train/safetensors.hpp>

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

namespace marey {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // as in the reference implementation
constexpr int deepest = 3;                             // {"name": {"shape": [1]}}
constexpr std::size_t most_dimensions = 64;

struct Entry {
  std::string name;
  c10::ScalarType type{};
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

class HeaderReader {
 public:
  HeaderReader(const std::filesystem::path& path, std::uint64_t data_bytes)
      : path_(path), data_bytes_(data_bytes) {}

  std::vector<Entry> read(const std::string& text, SafetensorsMetadata* metadata) const {
    const auto json = parse(text);
    std::vector<Entry> entries;
    for (const auto& [name, value] : json.items()) {
      if (name == "__metadata__")
        read_metadata(value, metadata);
      else
        entries.push_back(read_entry(name, value));
    }
    check_cover(entries);
    return entries;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw CheckpointError(fmt::format("{}: no valid safetensors file: {}", path_.string(), what));
  }

 private:
  nlohmann::json parse(const std::string& text) const {
    if (text.empty() || text.front() != '{') refuse("its header is no JSON object");
    std::set<std::string> names;
    const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
      using Event = nlohmann::json::parse_event_t;
      if (depth > deepest) refuse("its header is nested too deeply");
      if (event == Event::key && depth == 1 && !names.insert(value.get<std::string>()).second)
        refuse(fmt::format("'{}' appears twice", value.get<std::string>()));
      return true;
    };
    try {
      auto json = nlohmann::json::parse(text, watch);
      if (!json.is_object()) refuse("its header is no JSON object");
      return json;
    } catch (const nlohmann::json::exception& e) {
      refuse(fmt::format("its header cannot be parsed ({})", e.what()));
    }
  }

  void read_metadata(const nlohmann::json& value, SafetensorsMetadata* metadata) const {
    if (!value.is_object()) refuse("'__metadata__' is no table");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) refuse(fmt::format("the metadata '{}' is no string", key));
      if (metadata) (*metadata)[key] = text.get<std::string>();
    }
  }

  Entry read_entry(const std::string& name, const nlohmann::json& value) const {
    if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") ||
        !value.contains("data_offsets"))
      refuse(fmt::format("tensor '{}' lacks one of dtype, shape and data_offsets", name));
    Entry out{.name = name};
    const auto& dtype = value["dtype"];
    const auto type = dtype.is_string() ? tensor_type(dtype.get<std::string>()) : std::nullopt;
    if (!type) refuse(fmt::format("tensor '{}' has the unknown element type {}", name, dtype.dump()));
    out.type = *type;

    const auto& shape = value["shape"];
    if (!shape.is_array() || shape.size() > most_dimensions)
      refuse(fmt::format("the shape of tensor '{}' is no list of at most {} sizes", name, most_dimensions));
    std::uint64_t bytes = c10::elementSize(out.type), bounded = bytes;
    for (const auto& size : shape) {
      out.shape.push_back(static_cast<std::int64_t>(natural(size, name)));
      const auto extent = static_cast<std::uint64_t>(out.shape.back());
      // Zero sizes aside, the product must fit too: LibTorch computes strides from it.
      if (extent > 1 &&
          bounded > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / extent)
        refuse(fmt::format("the shape of tensor '{}' is too large", name));
      bounded *= std::max<std::uint64_t>(extent, 1);
      bytes *= extent;
    }

    const auto& offsets = value["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2)
      refuse(fmt::format("data_offsets of tensor '{}' is no pair", name));
    out.begin = natural(offsets[0], name);
    out.end = natural(offsets[1], name);
    if (out.begin > out.end || out.end > data_bytes_)
      refuse(fmt::format("tensor '{}' lies at bytes {} to {} of {}", name, out.begin, out.end, data_bytes_));
    if (out.end - out.begin != bytes)
      refuse(
          fmt::format("tensor '{}' needs {} bytes, data_offsets give {}", name, bytes, out.end - out.begin));
    return out;
  }

  std::uint64_t natural(const nlohmann::json& value, const std::string& name) const {
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      refuse(fmt::format("tensor '{}' has {} where a natural number is expected", name, value.dump()));
    return value.get<std::uint64_t>();
  }

  void check_cover(std::vector<Entry>& entries) const {
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
    std::uint64_t at = 0;
    for (const Entry& e : entries) {
      if (e.begin != at)
        refuse(fmt::format("tensor '{}' begins at byte {}, expected {} (a hole or an overlap)", e.name,
                           e.begin, at));
      at = e.end;
    }
    if (at != data_bytes_) refuse(fmt::format("{} bytes of data, the tensors take {}", data_bytes_, at));
  }

  const std::filesystem::path& path_;
  std::uint64_t data_bytes_;
};

void check_booleans(const HeaderReader& reader, const Entry& entry, const at::Tensor& tensor) {
  const auto* bytes = static_cast<const std::uint8_t*>(tensor.const_data_ptr());
  if (std::any_of(bytes, bytes + tensor.nbytes(), [](std::uint8_t b) { return b > 1; }))
    reader.refuse(fmt::format("tensor '{}' holds a boolean that is neither 0 nor 1", entry.name));
}

}  // namespace

TensorMap read_safetensors(const std::filesystem::path& path, SafetensorsMetadata* metadata) {
  const auto file = FileDescriptor::open_to_read(path);
  const std::uint64_t size = file.size();
  constexpr std::uint64_t prefix = 8;
  if (size < prefix)
    throw CheckpointError(
        fmt::format("{}: no valid safetensors file: {} bytes, at least 8 expected", path.string(), size));
  std::uint64_t length = 0;
  file.read(&length, sizeof length, 0);
  if (length > size - prefix || length > longest_header)
    throw CheckpointError(fmt::format("{}: no valid safetensors file: a header of {} bytes in a file of {}",
                                      path.string(), length, size));
  std::string text(length, '\0');
  file.read(text.data(), length, prefix);

  const std::uint64_t data = prefix + length;
  const HeaderReader reader(path, size - data);
  if (metadata) metadata->clear();
  TensorMap out;
  for (Entry& entry : reader.read(text, metadata)) {
    at::Tensor tensor = at::empty(entry.shape, at::TensorOptions().dtype(entry.type));
    if (entry.end > entry.begin) file.read(tensor.data_ptr(), entry.end - entry.begin, data + entry.begin);
    if (entry.type == c10::ScalarType::Bool) check_booleans(reader, entry, tensor);
    out.emplace(std::move(entry.name), std::move(tensor));
  }
  return out;
}

}  // namespace marey
