#define BOOST_DLL_USE_STD_FS
#include "core/elf_note.hpp"
#include "core/plugin_place.hpp"

#include <marey/core/error.hpp>
#include <marey/core/plugin.hpp>
#include <marey/core/plugin_loader.hpp>

#include <boost/dll/shared_library.hpp>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

namespace marey {
namespace {

namespace fs = std::filesystem;
namespace dll = boost::dll;

constexpr const char* no_plugin =
    "is a shared library but no Marey plugin: it lacks the note and the symbol that MAREY_PLUGIN "
    "(marey/core/plugin.hpp) makes";

std::string other_abi(std::string_view plugin) {
  return fmt::format(
      "was built for another host and was not loaded; rebuild it against this installation of Marey\n"
      "  plugin: {}\n  host:   {}",
      plugin, host_abi());
}

// Code of a plugin is never unmapped: objects, exceptions and types of it may live anywhere until the process
// ends.
dll::shared_library open_resident(const fs::path& file) {
  dll::shared_library library;
  std::error_code failed;
  const auto mode = dll::load_mode::rtld_now | dll::load_mode::rtld_local |
                    static_cast<dll::load_mode::type>(RTLD_NODELETE);
  library.load(file, failed, mode);
  if (failed) {
    // The error code is one and the same for every reason; the dynamic linker knows better.
    const char* reason = ::dlerror();
    throw Error(fmt::format("cannot be loaded: {}; rebuild it, or install what it needs",
                            reason ? reason : failed.message().c_str()));
  }
  return library;
}

const PluginInfo& descriptor(const dll::shared_library& library) {
  if (!library.has("marey_plugin")) throw Error(no_plugin);
  const auto& info = library.get<const PluginInfo>("marey_plugin");
  if (info.magic != plugin_magic)
    throw Error(fmt::format(
        "its symbol marey_plugin is something else: expected to start with {:#010x}, got {:#010x}",
        plugin_magic, info.magic));
  if (info.size != sizeof(PluginInfo))
    throw Error(
        fmt::format("its descriptor has another layout: expected {} bytes, got {}; rebuild it against this "
                    "installation of Marey",
                    sizeof(PluginInfo), info.size));
  if (!info.abi || !info.name || !*info.name || !info.version || !info.enrol)
    throw Error(
        "its descriptor is incomplete: name, version, ABI and enrol function are all needed; use "
        "MAREY_PLUGIN");
  if (std::string_view(info.abi) != host_abi()) throw Error(other_abi(info.abi));
  return info;
}

void enrol(const PluginInfo& info, const fs::path& file, Registry& registry) {
  Enrolment enrolment(registry, {info.name, info.version, file.string()});
  try {
    info.enrol(registry);
  } catch (const std::exception& e) {
    throw Error(fmt::format("plugin '{}' failed to enrol, so none of its components is offered: {}",
                            info.name, e.what()));
  } catch (...) {
    throw Error(
        fmt::format("plugin '{}' failed to enrol, so none of its components is offered: it threw something "
                    "that is no std::exception",
                    info.name));
  }
  enrolment.commit();
}

std::vector<fs::path> shared_libraries(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".so") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

const char* host_abi() { return MAREY_ABI; }

std::string read_plugin_abi(const fs::path& file) {
  try {
    if (auto abi = read_abi_note(file)) return *abi;
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", file.string(), e.what()), e.code());
  }
  throw Error(fmt::format("{}: {}", file.string(), no_plugin));
}

PluginStatus& PluginLoader::record(PluginStatus status) {
  if (!status.problem.empty()) {
    if (registry_.unavailable.empty())
      registry_.unavailable = "\n  these plugins could not be loaded; one of them may offer it:";
    registry_.unavailable += fmt::format("\n  - {}: {}", status.file.string(), status.problem);
  }
  return statuses_.emplace_back(std::move(status));
}

const PluginStatus& PluginLoader::load(const fs::path& file) {
  PluginStatus status;
  std::error_code failed;
  status.file = fs::canonical(file, failed);
  if (failed) {
    status.file = fs::absolute(file);
    // A file that was missing or refused before is not reported twice.
    for (const PluginStatus& s : statuses_)
      if (s.file == status.file) return s;
    status.problem = fmt::format("cannot be found: {}", failed.message());
    return record(std::move(status));
  }
  for (const PluginStatus& s : statuses_)
    if (s.file == status.file || fs::equivalent(s.file, status.file, failed)) return s;
  try {
    if (std::string reason = unsafe_place(status.file); !reason.empty())
      throw Error("is not loaded: " + reason);
    if (auto abi = read_abi_note(status.file)) status.abi = *abi;
    if (status.abi.empty()) throw Error(no_plugin);
    if (status.abi != host_abi()) throw Error(other_abi(status.abi));
    const dll::shared_library library = open_resident(status.file);
    const PluginInfo& info = descriptor(library);
    status.name = info.name;
    status.version = info.version;
    for (const PluginStatus& s : statuses_)
      if (s.loaded && s.name == status.name)
        throw Error(fmt::format("plugin '{}' is already loaded from {}; keep one of the two", s.name,
                                s.file.string()));
    enrol(info, status.file, registry_);
    status.loaded = true;
  } catch (const std::exception& e) {
    status.problem = e.what();
  }
  return record(std::move(status));
}

void PluginLoader::load_folder(const fs::path& folder) {
  std::error_code failed;
  PluginStatus status{.file = fs::canonical(folder, failed)};
  if (failed) {
    status.file = fs::absolute(folder);
    status.problem = fmt::format("this plugin folder cannot be found: {}", failed.message());
  } else if (std::string reason = unsafe_place(status.file); !reason.empty()) {
    status.problem = "nothing in this plugin folder is loaded: " + reason;
  } else {
    try {
      for (const fs::path& file : shared_libraries(status.file)) load(file);
      return;
    } catch (const fs::filesystem_error& e) {
      status.problem = fmt::format("this plugin folder cannot be read: {}", e.code().message());
    }
  }
  for (const PluginStatus& s : statuses_)
    if (s.file == status.file) return;
  record(std::move(status));
}

void PluginLoader::load_all(const std::vector<fs::path>& given, const fs::path& installed) {
  const auto load_either = [this](const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return load_folder(path);
    load(path);
  };
  for (const fs::path& path : given) load_either(path);

  const char* variable = std::getenv("MAREY_PLUGIN_PATH");
  std::string_view rest = variable ? variable : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const fs::path path(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (path.empty()) continue;  // to a shell an empty entry is the working directory; here it is nothing
    if (path.is_absolute())
      load_either(path);
    else
      record(
          {.file = path,
           .problem = "is not looked at: MAREY_PLUGIN_PATH may hold absolute paths only; write it in full"});
  }
  if (!installed.empty()) load_folder(installed);
}

}  // namespace marey
