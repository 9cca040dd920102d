// Fails at once.
#include <stdexcept>

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("enrol_throws", "1") {
  (void)registry;
  throw std::runtime_error("the licence server is on holiday");
}
