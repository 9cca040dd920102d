#include "support/catch.hpp"

#include <marey/core/value.hpp>

#include <cmath>

using marey::Value;

TEST_CASE("values print as TOML that says the same") {
  CHECK(to_inline_toml(Value(3)) == "3");
  CHECK(to_inline_toml(Value(3.0)) == "3.0");
  CHECK(to_inline_toml(Value(1e-5)) == "1e-05");
  CHECK(to_inline_toml(Value(0.1)) == "0.1");
  CHECK(to_inline_toml(Value(std::nan(""))) == "nan");
  CHECK(to_inline_toml(Value("a \"b\"\n\\")) == R"("a \"b\"\n\\")");
  CHECK(to_inline_toml(Value(Value::Array{1, true, "x"})) == R"([1, true, "x"])");
  Value table = Value::table();
  table.set("a key", 1);
  table.set("none", Value{});
  CHECK(to_inline_toml(table) == R"({"a key" = 1})");
}

TEST_CASE("a document holds scalars before tables and lists of tables in order") {
  Value step = Value::table();
  step.set("type", "Flip");
  Value recipe = Value::table();
  recipe.set("model", Value::table()).set("depth", 50);
  recipe.set("seed", 7);
  recipe.set("steps", Value::Array{step, step});
  CHECK(to_toml(recipe) ==
        "seed = 7\n\n[model]\ndepth = 50\n\n[[steps]]\ntype = \"Flip\"\n\n[[steps]]\ntype = \"Flip\"\n");
}

TEST_CASE("equality ignores the order of keys and the origin") {
  Value a = Value::table(), b = Value::table();
  a.set("x", 1), a.set("y", 2.5);
  b.set("y", 2.5), b.set("x", 1);
  CHECK(a == b);
  b.set("x", 2);
  CHECK_FALSE(a == b);
  CHECK_FALSE(Value(1) == Value(1.0));
}

TEST_CASE("setting replaces, erasing removes") {
  Value t;
  t.set("x", 1);
  t.set("x", 2);
  REQUIRE(t.entries()->size() == 1);
  CHECK(*t.find("x")->integer() == 2);
  CHECK(t.erase("x"));
  CHECK_FALSE(t.erase("x"));
  CHECK(t.find("x") == nullptr);
  CHECK_THROWS(Value(1).set("x", 1));
}

TEST_CASE("JSON keeps numbers that JSON cannot hold as text") {
  CHECK(to_json(Value(Value::Array{1, 2.5, INFINITY, Value{}})) == R"([1,2.5,"inf",null])");
}
