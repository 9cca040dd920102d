#include "train/file_descriptor.hpp"
#include "train/pickle_writer.hpp"

#include <marey/core/error.hpp>
#include <marey/train/pth.hpp>

#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>

#include <bit>
#include <exception>
#include <vector>

namespace marey {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

std::string pickle(const std::filesystem::path& path,
                   const std::vector<std::pair<std::string, at::Tensor>>& tensors, const std::string& under) {
  PickleWriter out;
  if (!under.empty()) out.begin_dict(), out.text(under);
  out.begin_ordered_dict();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    const auto storage_class = storage_class_name(tensor.scalar_type());
    if (!storage_class)
      throw Error(fmt::format("{}: tensor '{}' has the element type {}, which a .pth file cannot hold here",
                              path.string(), name, c10::toString(tensor.scalar_type())));
    out.text(name);
    out.tensor(tensor, *storage_class, fmt::format("{}", i));
  }
  out.end_ordered_dict();
  if (!under.empty()) out.end_dict();
  return out.finish();
}

}  // namespace

void write_pth(const std::filesystem::path& path, const TensorMap& weights, const std::string& under) {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for (const auto& [name, tensor] : weights) {
    if (!tensor.defined()) throw Error(fmt::format("{}: tensor '{}' is undefined", path.string(), name));
    tensors.emplace_back(name, tensor.detach().cpu().contiguous());
  }
  const std::string data = pickle(path, tensors, under);

  auto file = FileDescriptor::create(path);
  // The archive's destructor writes too and must not throw: a failed write is kept until the archive is gone.
  std::exception_ptr failure;
  {
    caffe2::serialize::PyTorchStreamWriter archive([&](const void* bytes, std::size_t count) {
      if (failure) return count;
      try {
        file.write(bytes, count);
      } catch (...) {
        failure = std::current_exception();
      }
      return count;
    });
    archive.writeRecord("data.pkl", data.data(), data.size());
    constexpr std::string_view byte_order = "little";
    archive.writeRecord("byteorder", byte_order.data(), byte_order.size());
    for (std::size_t i = 0; i < tensors.size() && !failure; ++i)
      archive.writeRecord(fmt::format("data/{}", i), tensors[i].second.const_data_ptr(),
                          tensors[i].second.nbytes());
    archive.writeEndOfFile();
  }
  if (failure) std::rethrow_exception(failure);
  file.sync_and_close();
}

}  // namespace marey
