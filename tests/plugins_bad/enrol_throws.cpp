// Fails at once.
#include <marey/core/plugin.hpp>

#include <stdexcept>

MAREY_PLUGIN("enrol_throws", "1") {
  (void)registry;
  throw std::runtime_error("the licence server is on holiday");
}
