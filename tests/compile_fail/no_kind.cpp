// The interface has no kind.
#include "tool.hpp"

struct Kindless {
  virtual ~Kindless() = default;
};
struct Saw : Kindless {};

void enrol(marey::Registry& registry) { registry.add<Kindless, Saw>("Saw", "cuts"); }
