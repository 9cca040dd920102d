// Parameters are declared, but the component cannot be made from them.
#include "tool.hpp"

struct Saw : Tool {
  struct Params {
    int teeth = 10;
  };
  static auto schema() { return marey::Schema<Params>{}.arg<&Params::teeth>({.doc = "count"}); }
  explicit Saw(int, int) {}
};

void enrol(marey::Registry& registry) { registry.add<Tool, Saw>("Saw", "cuts"); }
