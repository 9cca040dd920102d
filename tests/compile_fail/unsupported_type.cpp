// A parameter of a type that no recipe can hold.
#include "tool.hpp"

struct Params {
  int* teeth = nullptr;
};
auto schema() { return marey::Schema<Params>{}.arg<&Params::teeth>({.doc = "count"}); }
