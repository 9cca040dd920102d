// Finds and loads plugins. Search order: the files and folders given, $MAREY_PLUGIN_PATH, the install's
// plugin folder. Never the working directory, never a place that others can write to.
#pragma once
#include <marey/core/registry.hpp>

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

namespace marey {

struct PluginStatus {
  std::filesystem::path file;  // canonical
  std::string name, version, abi;
  bool loaded = false;
  std::string problem;  // why not, complete: what, expected, got, next step
};

// The ABI string of a plugin file, read without loading it. Throws Error when the file is no plugin.
std::string read_plugin_abi(const std::filesystem::path&);
const char* host_abi();

class PluginLoader {
 public:
  explicit PluginLoader(Registry& registry) : registry_(registry) {}

  // A broken plugin does not throw: its status says why, and only recipes that need it stop.
  // The same file reached by two paths loads once.
  const PluginStatus& load(const std::filesystem::path& file);
  void load_folder(
      const std::filesystem::path& folder);  // every *.so in it, by name; a missing folder is a problem
  // `given`: files and folders of --plugin; these come first. `installed`: the plugin folder of this
  // installation.
  void load_all(const std::vector<std::filesystem::path>& given, const std::filesystem::path& installed);

  const std::deque<PluginStatus>& statuses() const { return statuses_; }

 private:
  PluginStatus& record(PluginStatus);
  Registry& registry_;
  std::deque<PluginStatus> statuses_;  // references to its elements stay valid
};

}  // namespace marey
