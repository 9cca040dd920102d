#include "app/host.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/log.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace marey::app {

Host::Host(const Arguments& arguments) {
  std::vector<std::filesystem::path> given;
  for (const std::string& path : arguments.list("plugin")) given.emplace_back(path);
  loader.load_all(given, installed_plugins());
  for (const PluginStatus& s : loader.statuses())
    if (!s.loaded) log::warning(fmt::format("plugin {}: {}", s.file.string(), s.problem));
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!text.empty() && !text.ends_with('\n')) std::fputc('\n', stdout);
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    throw Error(fmt::format("stdout cannot be written: {}", std::strerror(errno)));
}

}  // namespace marey::app
