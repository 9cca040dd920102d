#include "train/numerics.hpp"

#include <marey/core/error.hpp>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace marey {
namespace {

std::string to_hex(const at::Tensor& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  const auto* byte = bytes.const_data_ptr<std::uint8_t>();
  std::string out;
  out.reserve(2 * static_cast<std::size_t>(bytes.numel()));
  for (std::int64_t i = 0; i < bytes.numel(); ++i) {
    out += digits[byte[i] >> 4];
    out += digits[byte[i] & 15];
  }
  return out;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw CheckpointError("the state of a random generator is damaged");
}

at::Tensor from_hex(const std::string& text) {
  const at::Tensor out =
      at::empty({static_cast<std::int64_t>(text.size() / 2)}, at::TensorOptions(at::kByte));
  auto* byte = out.mutable_data_ptr<std::uint8_t>();
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    byte[i / 2] = static_cast<std::uint8_t>(digit(text[i]) * 16 + digit(text[i + 1]));
  return out;
}

std::vector<c10::Device> devices_of(c10::Device device) {
  std::vector<c10::Device> out{c10::Device(c10::kCPU)};
  if (!device.is_cpu()) out.push_back(device);
  return out;
}

// By type alone: a run may go on with another card of the same kind.
std::string name_of(c10::Device device) { return c10::DeviceTypeName(device.type(), true); }

}  // namespace

void set_numerics(const Experiment::Training& train, std::uint64_t seed) {
  auto& context = at::globalContext();
  if (train.threads > 0) at::set_num_threads(train.threads);
  // Operators that know no deterministic algorithm warn and go on: a pooling layer must not end a run.
  context.setDeterministicAlgorithms(train.deterministic, true);
  context.setDeterministicFillUninitializedMemory(false);
  context.setDeterministicCuDNN(train.deterministic);
  context.setBenchmarkCuDNN(!train.deterministic);
  if (train.deterministic) ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // read when cuBLAS starts
  at::manual_seed(seed);
}

nlohmann::json save_generators(c10::Device device) {
  auto out = nlohmann::json::object();
  for (const c10::Device d : devices_of(device)) {
    at::Generator generator = at::globalContext().defaultGenerator(d);
    const std::lock_guard lock(generator.mutex());
    out[name_of(d)] = to_hex(generator.get_state());
  }
  return out;
}

void load_generators(const nlohmann::json& states, c10::Device device) {
  for (const c10::Device d : devices_of(device)) {
    if (!states.contains(name_of(d))) continue;  // a run that goes on with another device
    at::Generator generator = at::globalContext().defaultGenerator(d);
    try {
      const std::lock_guard lock(generator.mutex());
      generator.set_state(from_hex(states.at(name_of(d)).get<std::string>()));
    } catch (const c10::Error& e) {
      throw CheckpointError(
          fmt::format("the state of the random generator of {} does not fit this LibTorch: {}", name_of(d),
                      e.what_without_backtrace()));
    }
  }
}

}  // namespace marey
