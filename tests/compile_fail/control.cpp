// The control: what the others get wrong, done right.
#include "tool.hpp"

struct Saw : Tool {
  struct Params {
    int teeth = 10;
  };
  static auto schema() { return marey::Schema<Params>{}.arg<&Params::teeth>({.doc = "count"}); }
  explicit Saw(Params) {}
};
struct Hammer : Tool {};

void enrol(marey::Registry& registry) {
  registry.add<Tool, Saw>("Saw", "cuts");
  registry.add<Tool, Hammer>("Hammer", "hits");
}
