#include "train/environment.hpp"

#include <marey/core/files.hpp>
#include <marey/core/plugin.hpp>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

namespace marey {
namespace {

// The arguments are separated by zero bytes.
nlohmann::json command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  auto out = nlohmann::json::array();
  for (std::string word; std::getline(file, word, '\0');) out.push_back(word);
  return out;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

std::string working_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

}  // namespace

nlohmann::json environment(std::string_view device) {
  utsname system{};
  ::uname(&system);
  return {{"marey", MAREY_VERSION},
          {"abi", MAREY_ABI},
          {"torch", TORCH_VERSION},
          {"compiler", fmt::format("{} {}", MAREY_ABI_COMPILER, __VERSION__)},
          {"cpu_capability", at::get_cpu_capability()},
          {"command", command_line()},
          {"folder", working_folder()},
          {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"process", ::getpid()},
          {"machine",
           {{"name", system.nodename},
            {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
            {"processor", processor()},
            {"cores", std::thread::hardware_concurrency()},
            {"device", device},
            {"torch_threads", at::get_num_threads()}}}};
}

}  // namespace marey
