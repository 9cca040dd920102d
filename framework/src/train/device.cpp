#include <marey/core/error.hpp>
#include <marey/train/runner.hpp>

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <fmt/format.h>

#include <exception>

namespace marey {
namespace {

[[noreturn]] void refuse(const std::string& wanted, const std::string& why) {
  throw UsageError(fmt::format("train.device = \"{}\": {}", wanted, why));
}

int cuda_devices() { return at::hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount()) : 0; }

}  // namespace

c10::Device choose_device(const std::string& wanted) {
  if (wanted == "auto") return cuda_devices() > 0 ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
  c10::Device device(c10::kCPU);
  try {
    device = c10::Device(wanted);
  } catch (const std::exception&) {
    refuse(wanted, "expected auto, cpu, cuda or cuda:N");
  }
  if (device.is_cpu()) return c10::Device(c10::kCPU);
  if (!device.is_cuda()) refuse(wanted, "expected auto, cpu, cuda or cuda:N");
  if (!at::detail::getCUDAHooks().hasCUDA() && !at::hasCUDA())
    refuse(wanted,
           "this LibTorch is built without CUDA, or sees no driver; use cpu, or install LibTorch with CUDA");
  const int found = cuda_devices();
  if (found == 0)
    refuse(wanted, "no CUDA device is seen; look at nvidia-smi and CUDA_VISIBLE_DEVICES, or use cpu");
  const int index = device.has_index() ? device.index() : 0;
  if (index >= found)
    refuse(wanted, fmt::format("{} CUDA devices are seen, the last is cuda:{}", found, found - 1));
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace marey
