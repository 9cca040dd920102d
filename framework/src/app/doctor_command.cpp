// marey doctor [--json]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/files.hpp>
#include <marey/media/versions.hpp>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/statvfs.h>
#include <torch/version.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace marey::app {
namespace {

struct Finding {
  std::string topic, text;
  bool good = true;
  std::string advice;  // where something should be done
};

void options(Arguments& a) {
  a.take_positionals(0, 0);
  a.add_switch("json", "print one JSON document");
}

std::string first_line_with(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) {
      const auto colon = line.find(':');
      const auto begin = line.find_first_not_of(" \t", colon + 1);
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  return "unknown";
}

Finding processor() {
  return {"processor", fmt::format("{}, {} cores, {}", first_line_with("/proc/cpuinfo", "model name"),
                                   std::thread::hardware_concurrency(), at::get_cpu_capability())};
}

Finding memory() {
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES)),
             page = static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return {"memory", fmt::format("{:.1f} GiB", pages * page / (1 << 30))};
}

Finding accelerator() {
  if (!at::hasCUDA())
    return {"accelerator",
            "none: this LibTorch is built for the CPU, or no device is visible; recipes run on the CPU"};
  return {"accelerator", fmt::format("{} CUDA device(s)", at::getNumGPUs())};
}

Finding disk() {
  struct statvfs info {};
  if (::statvfs(".", &info) != 0)
    return {"disk", "the working directory cannot be examined", false, "change to a folder of yours"};
  const double free_gib = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / (1 << 30);
  Finding out{"disk", fmt::format("{:.1f} GiB free here", free_gib)};
  if (free_gib < 1) {
    out.good = false;
    out.advice = "checkpoints and data sets need more; free some";
  }
  return out;
}

std::vector<Finding> plugins(const Host& host) {
  std::vector<Finding> out;
  std::size_t loaded = 0;
  for (const PluginStatus& s : host.loader.statuses()) {
    loaded += s.loaded;
    if (!s.loaded) out.push_back({"plugin " + s.file.string(), "broken", false, s.problem});
  }
  Finding all{"plugins", fmt::format("{} loaded, {} components", loaded, host.registry.all().size())};
  if (loaded == 0) {
    all.good = false;
    all.advice = fmt::format("expected plugins in {}; install Marey again", installed_plugins().string());
  }
  out.insert(out.begin(), std::move(all));
  return out;
}

ExitCode run(const Arguments& a) {
  const Host host(a);
  std::vector<Finding> findings{
      {"marey", fmt::format("{}, ABI {}", MAREY_VERSION, host_abi())},
      {"libtorch", fmt::format("{} threads; {}", at::get_num_threads(), TORCH_VERSION)},
      {"libav", media::library_versions()},
      processor(),
      memory(),
      accelerator(),
      disk()};
  for (Finding& f : plugins(host)) findings.push_back(std::move(f));
  bool good = true;
  auto json = nlohmann::ordered_json::array();
  std::string text;
  for (const Finding& f : findings) {
    good = good && f.good;
    json.push_back({{"topic", f.topic}, {"text", f.text}, {"good", f.good}, {"advice", f.advice}});
    text += fmt::format("{} {}: {}\n", f.good ? "ok  " : "BAD ", f.topic, f.text);
    if (!f.advice.empty()) text += fmt::format("     {}\n", f.advice);
  }
  print(a.on("json") ? json.dump(2) : text);
  return good ? ExitCode::ok : ExitCode::failure;
}

}  // namespace

extern const Command doctor_command{"doctor", options, run};

}  // namespace marey::app
