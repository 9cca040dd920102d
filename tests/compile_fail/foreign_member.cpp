// A schema that names a member of another struct.
#include "tool.hpp"

struct Other {
  int teeth = 3;
};
struct Params {
  int size = 3;
};
auto schema() { return marey::Schema<Params>{}.arg<&Other::teeth>({.doc = "count"}); }
