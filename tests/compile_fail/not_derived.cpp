// The component does not implement the interface.
#include "tool.hpp"

struct Saw {};

void enrol(marey::Registry& registry) { registry.add<Tool, Saw>("Saw", "cuts"); }
