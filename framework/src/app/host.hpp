// The registry of this process with every plugin loaded into it.
#pragma once
#include "app/arguments.hpp"

#include <marey/core/plugin_loader.hpp>
#include <marey/core/registry.hpp>

namespace marey::app {

struct Host {
  explicit Host(const Arguments&);  // loads --plugin, $MAREY_PLUGIN_PATH and the installed plugins
  Registry registry;
  PluginLoader loader{registry};
};

void print(
    std::string_view text);  // to stdout; a newline is added where there is none. Error: it was not written

}  // namespace marey::app
