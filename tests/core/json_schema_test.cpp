#include "support/catch.hpp"

#include <marey/core/json_schema.hpp>

#include <nlohmann/json.hpp>

using namespace marey;

namespace {

struct Shape {
  static constexpr std::string_view kind = "shape";
  virtual ~Shape() = default;
};

struct Circle : Shape {
  struct Params {
    double radius = 1.5;
    std::string colour = "red";
  };
  static auto schema() {
    return Schema<Params>{}
        .arg<&Params::radius>({.doc = "from the centre", .unit = "px", .min = 0})
        .arg<&Params::colour>({.doc = "of the inside", .one_of = {"red", "blue"}});
  }
  explicit Circle(Params) {}
};

struct Drawing {
  Part<Shape> shape;
  std::map<std::string, Part<Shape>> more;
  std::vector<int> sizes{1, 2};
  static auto schema() {
    return Schema<Drawing>{}
        .arg<&Drawing::shape>({.doc = "the main one"})
        .arg<&Drawing::more>({.doc = "by name"})
        .arg<&Drawing::sizes>({.doc = "of all", .min = 1, .max = 9});
  }
};

}  // namespace

TEST_CASE("the JSON Schema says all that the parameters say") {
  Registry registry;
  registry.add<Shape, Circle>("Circle", "round");
  const auto s = json_schema(registry, Drawing::schema().fields);
  CHECK(s["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(s["additionalProperties"] == false);
  CHECK(s["properties"].contains("base"));
  CHECK(s["properties"]["sizes"]["items"]["minimum"] == 1);
  CHECK(s["properties"]["sizes"]["items"]["maximum"] == 9);
  CHECK(s["properties"]["sizes"]["default"] == nlohmann::json::array({1, 2}));
  CHECK(s["properties"]["shape"]["anyOf"][0]["$ref"] == "#/$defs/shape");
  CHECK(s["properties"]["more"]["additionalProperties"]["anyOf"][0]["$ref"] == "#/$defs/shape");
  CHECK(s["$defs"]["shape"]["properties"]["type"]["enum"] == nlohmann::json::array({"Circle"}));
  CHECK(s["$defs"]["shape"]["allOf"][0]["then"]["$ref"] == "#/$defs/shape~1Circle");
  const auto& circle = s["$defs"]["shape/Circle"];
  CHECK(circle["description"] == "round");
  CHECK(circle["additionalProperties"] == false);
  CHECK(circle["properties"]["radius"]["description"] == "from the centre [px]");
  CHECK(circle["properties"]["radius"]["default"] == 1.5);
  CHECK(circle["properties"]["colour"]["enum"] == nlohmann::json::array({"red", "blue"}));
}
