// Tensors over the storages of a weight file. A storage is read once, when a tensor needs it.
#pragma once
#include "train/file_descriptor.hpp"
#include "train/pickle_value.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace marey {

class StoredTensors {
 public:
  StoredTensors(const FileDescriptor& file, std::filesystem::path path)
      : file_(file), path_(std::move(path)), copies_left_(4 * file.size() + (std::uint64_t{64} << 20)) {}

  struct Span {
    std::uint64_t begin = 0, bytes = 0;  // in the file
  };
  void add(const std::string& key, Span span) { spans_[key] = span; }

  // Contiguous. Throws CheckpointError where the tensor reaches beyond its storage.
  at::Tensor make(const PickleValue&, const std::string& name);

 private:
  at::Tensor storage(const PickleValue& storage, c10::ScalarType, const std::string& name);
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

  const FileDescriptor& file_;
  std::filesystem::path path_;
  std::map<std::string, Span> spans_;
  std::map<std::string, at::Tensor> storages_;  // as bytes
  std::uint64_t copies_left_;  // bytes: a file of a few bytes may not ask for gigabytes of expanded tensors
};

}  // namespace marey
