#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/recipe.hpp>
#include <marey/core/registry.hpp>

using namespace marey;
using marey::test::TemporaryFolder;

namespace {

Value parse(const std::string& text) {
  auto source = std::make_shared<Source>();
  source->name = "r.toml";
  source->text = text;
  return parse_toml(source);
}

std::string merged(const std::string& base, const std::string& over) {
  Value v = parse(base);
  merge(v, parse(over));
  return to_inline_toml(v);
}

std::string overridden(const std::string& text, const std::vector<std::string>& overrides) {
  Value v = parse(text);
  Diagnostics problems;
  apply_overrides(v, overrides, problems);
  return problems.empty() ? to_inline_toml(v) : problems.render();
}

std::string error_of(const std::filesystem::path& file, const std::vector<std::string>& overrides = {}) {
  try {
    load_recipe(file, overrides);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("TOML keeps the order of keys and the place of each value") {
  const Value v =
      parse("z = 1\n[b.a]\n  x = \"ö\" # y\n  'ä' = [1, 2.5,\n    true]\n[[l]]\nq = 1\n[[l]]\nq = 2\n");
  CHECK(to_inline_toml(v) ==
        "{z = 1, b = {a = {x = \"ö\", \"ä\" = [1, 2.5, true]}}, l = [{q = 1}, {q = 2}]}");
  const Value* a = v.find("b")->find("a");
  CHECK(to_string(a->origin) == "r.toml:2:1");
  CHECK(to_string(a->entry("x")->key_origin) == "r.toml:3:3");
  CHECK(to_string(a->find("x")->origin) == "r.toml:3:7");
  CHECK(to_string((*a->find("ä")->array_items())[2].origin) == "r.toml:5:5");
  // Columns count bytes: 'ä' takes two.
  CHECK(to_string(a->find("ä")->origin) == "r.toml:4:10");
}

TEST_CASE("broken TOML is one error with its place") {
  try {
    parse("a = 1\nb = = 2\n");
    FAIL("no error");
  } catch (const RecipeError& e) {
    CHECK(std::string(e.what()).find("r.toml:2:") == 0);
    CHECK(std::string(e.what()).find("2 | b = = 2") != std::string::npos);
    CHECK(e.code() == ExitCode::usage);
  }
  CHECK_THROWS_AS(parse("a = 1\na = 2\n"), RecipeError);
  CHECK_THROWS_AS(parse("d = 1979-05-27\n"), RecipeError);
  CHECK_THROWS_AS(parse("a = \"\xff\"\n"), RecipeError);
  CHECK_THROWS_AS(parse(std::string("a = ") + std::string(100000, '[')), RecipeError);
}

TEST_CASE("tables merge deep, all else is replaced whole") {
  CHECK(merged("a = 1\n[t]\nx = 1\ny = [1, 2]", "[t]\ny = [3]\nz = 2") ==
        "{a = 1, t = {x = 1, y = [3], z = 2}}");
  CHECK(merged("[t]\nx = 1", "t = 3") == "{t = 3}");
  CHECK(merged("t = 3", "[t]\nx = 1") == "{t = {x = 1}}");
}

TEST_CASE("_delete_ replaces a table and never reaches the result") {
  CHECK(merged("[t]\nx = 1\n[t.u]\ny = 1", "[t]\n_delete_ = true\nz = 2") == "{t = {z = 2}}");
  CHECK(merged("a = 1", "[t]\n_delete_ = true\nz = 2\n[t.u]\n_delete_ = true\nq = 1") ==
        "{a = 1, t = {z = 2, u = {q = 1}}}");
}

TEST_CASE("false drops an inherited table, and only a table") {
  CHECK(merged("[hooks.amp]\ntype = \"AMP\"\n[hooks.x]\na = 1", "hooks.amp = false") ==
        "{hooks = {x = {a = 1}}}");
  CHECK(merged("flag = true", "flag = false") == "{flag = false}");
}

TEST_CASE("the origin of a merged value is the file that won") {
  TemporaryFolder dir;
  dir.write("base/a.toml", "[t]\nx = 1\ny = 2\n");
  const auto file = dir.write("r.toml", "base = \"base/a.toml\"\n[t]\ny = 3\n");
  const Value v = load_recipe(file, {"t.z=4"});
  const auto all = leaves(v);
  REQUIRE(all.size() == 3);
  CHECK(all[0].path == "t.x");
  CHECK(to_string(all[0].value->origin) == (dir.path() / "base/a.toml").string() + ":2:5");
  CHECK(to_string(all[1].value->origin) == file.string() + ":3:5");
  CHECK(to_string(all[2].value->origin) == "command line:1:5");
  CHECK(all[0].value->origin.source->directory == (dir.path() / "base").string());
}

TEST_CASE("several bases merge left to right, each with its own bases") {
  TemporaryFolder dir;
  dir.write("a.toml", "x = 1\ny = 1\nz = 1\n");
  dir.write("b.toml", "base = \"a.toml\"\ny = 2\n");
  dir.write("c.toml", "z = 3\n");
  const auto file = dir.write("r.toml", "base = [\"b.toml\", \"c.toml\"]\nw = 4\n");
  CHECK(to_inline_toml(load_recipe(file)) == "{x = 1, y = 2, z = 3, w = 4}");
  // The same base twice is no circle.
  const auto diamond = dir.write("d.toml", "base = [\"b.toml\", \"a.toml\"]\n");
  CHECK(to_inline_toml(load_recipe(diamond)) == "{x = 1, y = 1, z = 1}");
}

TEST_CASE("recipes that cannot be had are named") {
  TemporaryFolder dir;
  CHECK(error_of(dir.path() / "none.toml").find("there is no such recipe") != std::string::npos);
  CHECK(error_of(dir.path()).find("this is a folder") != std::string::npos);
  CHECK(error_of(dir.write("e.toml", " \n\n")).find("the file is empty") != std::string::npos);
  CHECK(error_of(dir.write("m.toml", "base = \"gone.toml\"\n"))
            .find("m.toml:1:8: error: base: there is no recipe") != std::string::npos);
  CHECK(error_of(dir.write("n.toml", "base = 3\n")).find("expected the path of a recipe, got 3") !=
        std::string::npos);
  CHECK(error_of(dir.write("o.toml", "[a]\n_delete_ = 1\n")).find("a._delete_: expected true") !=
        std::string::npos);
}

TEST_CASE("a circle of bases and too deep a chain end in an error") {
  TemporaryFolder dir;
  dir.write("a.toml", "base = \"b.toml\"\n");
  dir.write("b.toml", "base = \"sub/../a.toml\"\n");
  dir.write("sub/x.toml", "x = 1\n");
  const std::string circle = error_of(dir.path() / "a.toml");
  CHECK(circle.find("a.toml -> b.toml -> a.toml") != std::string::npos);
  for (int i = 0; i < 40; ++i)
    dir.write("d" + std::to_string(i) + ".toml", "base = \"d" + std::to_string(i + 1) + ".toml\"\n");
  dir.write("d40.toml", "x = 1\n");
  CHECK(error_of(dir.path() / "d0.toml").find("more than 16 recipes") != std::string::npos);
  CHECK(error_of(dir.path() / "d30.toml") == "no error");
}

TEST_CASE("overrides set, add and remove") {
  const std::string r = "seed = 1\n[o]\nlr = 0.1\n[[p]]\nn = 1\n[[p]]\nn = 2\n";
  CHECK(overridden(r, {"o.lr=0.05"}) == "{seed = 1, o = {lr = 0.05}, p = [{n = 1}, {n = 2}]}");
  CHECK(overridden(r, {"p.1.n=5", "~p.0"}) == "{seed = 1, o = {lr = 0.1}, p = [{n = 5}]}");
  CHECK(overridden(r, {"+hooks.e.type=EMA"}) ==
        "{seed = 1, o = {lr = 0.1}, p = [{n = 1}, {n = 2}], hooks = {e = {type = \"EMA\"}}}");
  CHECK(overridden("l = [1]", {"+l=2", "+l=[3]"}) == "{l = [1, 2, [3]]}");
  CHECK(overridden(r, {"~o", "~p"}) == "{seed = 1}");
  CHECK(overridden("a = 1", {"h.\"x.y\"=2"}) == "{a = 1, h = {\"x.y\" = 2}}");
}

TEST_CASE("an override's value is TOML, and a bare word a string") {
  CHECK(overridden("a = 1", {"b=[1, 2]"}) == "{a = 1, b = [1, 2]}");
  CHECK(overridden("a = 1", {"b=\"3\""}) == "{a = 1, b = \"3\"}");
  CHECK(overridden("a = 1", {"b=cuda:1"}) == "{a = 1, b = \"cuda:1\"}");
  CHECK(overridden("a = 1", {"b={x = 1}"}) == "{a = 1, b = {x = 1}}");
  CHECK(overridden("a = 1", {"b=a=b"}) == "{a = 1, b = \"a=b\"}");
  CHECK(overridden("a = 1", {"b="}) == "{a = 1, b = \"\"}");
  CHECK(overridden("a = 1", {"b=1\nc = 2"}) == "{a = 1, b = \"1\\nc = 2\"}");
}

TEST_CASE("wrong overrides are all reported, each with its place") {
  const std::string text =
      overridden("seed = 1\nl = [1]\n[o]\nlr = 0.1\n",
                 {"o.lr", "~o.rl", "l.3=1", "l.x=1", "seed.a=1", "+o.lr=2", "=1", "a..b=1", "~seed=1"});
  CHECK(text.find("command line:1:1: error: there is no '='") != std::string::npos);
  CHECK(text.find("command line:2:4: error: o.rl: there is no such key to remove; did you mean 'lr'?") !=
        std::string::npos);
  CHECK(text.find("expected an index from 0 to 0, got 3") != std::string::npos);
  CHECK(text.find("expected an index, got 'x'") != std::string::npos);
  CHECK(text.find("seed: its value is of type integer") != std::string::npos);

  CHECK(text.find("already there") != std::string::npos);
  CHECK(text.find("command line:7:1: error: a key is empty") != std::string::npos);
  CHECK(text.find("command line:8:3: error: a key is empty") != std::string::npos);
  CHECK(text.find("~key takes no value") != std::string::npos);
  CHECK(text.find("2 | ~o.rl") != std::string::npos);
}

namespace {

struct Tool {
  static constexpr std::string_view kind = "tool";
  virtual ~Tool() = default;
};
struct Saw : Tool {
  struct Params {
    int teeth = 10;
  };
  static auto schema() { return Schema<Params>{}.arg<&Params::teeth>({.doc = "count"}); }
  explicit Saw(Params) {}
};

}  // namespace

TEST_CASE("a key left over from an inherited type says how to drop it") {
  Registry registry;
  registry.add<Tool, Saw>("Saw", "cuts");
  TemporaryFolder dir;
  dir.write("base.toml", "[tool]\ntype = \"Hammer\"\nweight = 3\n");
  const Value v = load_recipe(dir.write("r.toml", "base = \"base.toml\"\n[tool]\ntype = \"Saw\"\n"));
  try {
    read_component(registry, "tool", *v.find("tool"), "tool");
    FAIL("no error");
  } catch (const RecipeError& e) {
    const std::string text = e.what();
    INFO(text);
    CHECK(text.find("base.toml:3:1: error: tool.weight: \"Saw\" has no such key") != std::string::npos);
    CHECK(text.find("_delete_ = true") != std::string::npos);
  }
}
