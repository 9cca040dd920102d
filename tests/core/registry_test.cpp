#include "support/catch.hpp"

#include <marey/core/registry.hpp>

using namespace marey;

namespace {

struct Animal {
  static constexpr std::string_view kind = "animal";
  virtual ~Animal() = default;
  virtual int legs() const = 0;
};

struct Dog : Animal {
  int legs() const override { return 4; }
};

struct Centipede : Animal {
  struct Params {
    int pairs = 20;
    bool honest = true;
  };
  static auto schema() {
    return Schema<Params>{}
        .arg<&Params::pairs>({.doc = "pairs of legs", .min = 1, .max = 400})
        .arg<&Params::honest>({.doc = "refuses to be made when false"});
  }
  static std::string check(const Params& p) { return p.pairs % 2 ? "pairs must be even" : ""; }
  explicit Centipede(Params p) : p_(p) {
    if (!p.honest) throw std::runtime_error("it lies");
  }
  int legs() const override { return 2 * p_.pairs; }
  Params p_;
};

struct Kennel {
  struct Params {
    Part<Animal> first;
    std::vector<Part<Animal>> others;
  };
};

Value table(std::initializer_list<std::pair<const char*, Value>> entries) {
  Value t = Value::table();
  for (const auto& [k, v] : entries) t.set(k, v);
  return t;
}

void enrol(Registry& r, const char* plugin, auto&& body) {
  Enrolment e(r, {plugin, "1.0", std::string("/p/") + plugin + ".so"});
  body();
  e.commit();
}

std::string message(auto&& action) {
  try {
    action();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no exception";
}

}  // namespace

TEST_CASE("a component is found by kind and name, read and made") {
  Registry r;
  enrol(r, "zoo",
        [&] { r.add<Animal, Dog>("Dog", "barks"), r.add<Animal, Centipede>("Centipede", "crawls"); });
  CHECK(r.names("animal") == std::vector<std::string>{"Centipede", "Dog"});
  REQUIRE(r.find("animal", "Dog"));
  CHECK(r.find("animal", "Dog")->plugin == "zoo");
  CHECK(r.find("plant", "Dog") == nullptr);
  const auto b = read_component(r, "animal", table({{"type", "Centipede"}, {"pairs", 10}}));
  CHECK(std::static_pointer_cast<Animal>(b.make())->legs() == 20);
  CHECK(b.write() == table({{"type", "Centipede"}, {"pairs", 10}, {"honest", true}}));
}

TEST_CASE("reading refuses unknown types, unknown keys and wrong combinations") {
  Registry r;
  enrol(r, "zoo",
        [&] { r.add<Animal, Dog>("Dog", "barks"), r.add<Animal, Centipede>("Centipede", "crawls"); });
  CHECK(message([&] {
          read_component(r, "animal", table({{"type", "Dgo"}}), "pet");
        }) == "error: pet: no animal is called 'Dgo'; did you mean 'Dog'?\n");
  CHECK(message([&] { read_component(r, "animal", table({}), "pet"); }) ==
        "error: pet: this animal needs a key 'type' that names it (known: Centipede, Dog)\n");
  CHECK(message([&] {
          read_component(r, "animal", table({{"type", "Dog"}, {"tail", 1}}), "pet");
        }) == "error: pet.tail: unknown key\n");
  CHECK(message([&] {
          read_component(r, "animal", table({{"type", "Centipede"}, {"pairs", 3}}), "pet");
        }) == "error: pet: pairs must be even\n");
}

TEST_CASE("an exception of a component names its place, type and plugin") {
  Registry r;
  enrol(r, "zoo", [&] { r.add<Animal, Centipede>("Centipede", "crawls"); });
  const auto b = read_component(r, "animal", table({{"type", "Centipede"}, {"honest", false}}), "pet");
  CHECK(message([&] { b.make(); }) == "pet: Centipede (plugin 'zoo'): it lies");
}

TEST_CASE("two plugins cannot offer one name, and the second leaves nothing behind") {
  Registry r;
  enrol(r, "zoo", [&] { r.add<Animal, Dog>("Dog", "barks"); });
  const std::string text = message([&] {
    enrol(r, "farm",
          [&] { r.add<Animal, Centipede>("Cow", "moos"), r.add<Animal, Dog>("Dog", "barks too"); });
  });
  CHECK(text ==
        "animal 'Dog' is offered twice: by plugin 'zoo' (/p/zoo.so) and by plugin 'farm' (/p/farm.so); "
        "remove one of them");
  CHECK(r.names("animal") == std::vector<std::string>{"Dog"});
  CHECK(r.find("animal", "Dog")->plugin == "zoo");
}

TEST_CASE("an old name leads to the component, and must not hide one") {
  Registry r;
  enrol(r, "zoo", [&] {
    r.add<Animal, Dog>("Dog", "barks");
    r.alias<Animal>("Hound", "Dog", "Hound is now called Dog");
  });
  CHECK(r.find("animal", "Hound") == r.find("animal", "Dog"));
  CHECK(message([&] {
          enrol(r, "x", [&] { r.alias<Animal>("Dog", "Hound", ""); });
        }).find("still a component's name") != std::string::npos);
  CHECK(message([&] { enrol(r, "x", [&] { r.alias<Animal>("Cat", "Lion", ""); }); }).find("does not exist") !=
        std::string::npos);
}

TEST_CASE("parts inside parameters are read and made later") {
  Registry r;
  enrol(r, "zoo",
        [&] { r.add<Animal, Dog>("Dog", "barks"), r.add<Animal, Centipede>("Centipede", "crawls"); });
  const auto schema = Schema<Kennel::Params>{}
                          .arg<&Kennel::Params::first>({.doc = "one"})
                          .arg<&Kennel::Params::others>({.doc = "more"});
  CHECK(schema.fields[0].type.component_kind == "animal");
  Diagnostics d;
  ReadContext c{r, d, ""};
  Kennel::Params p;
  read_fields(
      &p, schema.fields,
      table({{"first", table({{"type", "Dog"}})},
             {"others", Value::Array{table({{"type", "Centipede"}}), table({{"type", "Centiped"}})}}}),
      c);
  CHECK(d.render() == "error: others.1: no animal is called 'Centiped'; did you mean 'Centipede'?\n");
  REQUIRE(p.first);
  CHECK(p.first.make()->legs() == 4);
  CHECK(p.others[0].make()->legs() == 40);
}
