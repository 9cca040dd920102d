#include "support/catch.hpp"

#include <marey/core/registry.hpp>

#include <limits>

using namespace marey;

namespace {

enum class Mode { average, maximum };

struct Inner {
  int depth = 50;
  static auto schema() { return Schema<Inner>{}.arg<&Inner::depth>({.doc = "layers", .min = 1}); }
};

struct Everything {
  bool flag = true;
  int count = 3;
  std::int64_t large = 1;
  double rate = 0.5;
  std::string name = "x", pool = "avg";
  Mode mode = Mode::average;
  std::optional<double> clip;
  std::vector<int> widths{1, 2};
  std::array<double, 3> mean{0, 0, 0};
  std::map<std::string, int> named;
  Inner inner;
  FilePath file;
  static Schema<Everything> schema();
};

}  // namespace

template <>
struct marey::EnumNames<Mode> {
  static constexpr std::array names{std::pair{Mode::average, "average"}, std::pair{Mode::maximum, "maximum"}};
};

namespace {

Schema<Everything> Everything::schema() {
  return Schema<Everything>{}
      .arg<&Everything::flag>({.doc = "a flag"})
      .arg<&Everything::count>({.doc = "a count", .unit = "frames", .min = 1, .max = 32})
      .arg<&Everything::large>({.doc = "any integer"})
      .arg<&Everything::rate>({.doc = "a rate", .min = 0, .max = 1})
      .arg<&Everything::name>({.doc = "a name"})
      .arg<&Everything::pool>({.doc = "pooling", .one_of = {"avg", "max"}})
      .arg<&Everything::mode>({.doc = "a mode"})
      .arg<&Everything::clip>({.doc = "a limit", .min = 0})
      .arg<&Everything::widths>({.doc = "channels", .min = 1})
      .arg<&Everything::mean>({.doc = "of RGB"})
      .arg<&Everything::named>({.doc = "by name"})
      .arg<&Everything::inner>({.doc = "nested"})
      .arg<&Everything::file>({.doc = "a file"});
}

std::vector<std::string> problems(const Value& table, Everything* out = nullptr) {
  Registry registry;
  Diagnostics d;
  ReadContext c{registry, d, "x"};
  Everything p;
  read_fields(&p, Everything::schema().fields, table, c);
  if (out) *out = p;
  std::vector<std::string> texts;
  for (const auto& e : d.sorted()) texts.push_back(e.path + ": " + e.text);
  return texts;
}

Value one(const char* key, Value v) {
  Value t = Value::table();
  t.set(key, std::move(v));
  return t;
}

std::string only_problem(const char* key, Value v) {
  const auto all = problems(one(key, std::move(v)));
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("names, types and defaults come from the struct") {
  const auto fields = Everything::schema().fields;
  REQUIRE(fields.size() == 13);
  CHECK(fields[1].name == "count");
  CHECK(fields[1].type.name() == "integer");
  CHECK(to_inline_toml(fields[1].fallback) == "3");
  CHECK(fields[5].type.name() == "avg | max");
  CHECK(fields[6].type.name() == "average | maximum");
  CHECK(fields[7].type.name() == "none or number");
  CHECK(fields[7].fallback.is_null());
  CHECK(fields[8].type.name() == "list of integer");
  CHECK(fields[9].type.name() == "list of 3 number");
}

TEST_CASE("good values of every type are read") {
  Value t = Value::table();
  t.set("flag", false), t.set("count", 32), t.set("rate", 1), t.set("mode", "maximum"), t.set("clip", 2.5);
  t.set("widths", Value::Array{4, 5, 6}), t.set("mean", Value::Array{1, 2.5, 3}), t.set("named", one("a", 9));
  t.set("inner", one("depth", 18)), t.set("file", "/a/../b.txt");
  Everything p;
  REQUIRE(problems(t, &p).empty());
  CHECK_FALSE(p.flag);
  CHECK(p.count == 32);
  CHECK(p.rate == 1.0);
  CHECK(p.mode == Mode::maximum);
  CHECK(p.clip == 2.5);
  CHECK(p.widths == std::vector{4, 5, 6});
  CHECK(p.mean[1] == 2.5);
  CHECK(p.named.at("a") == 9);
  CHECK(p.inner.depth == 18);
  CHECK(p.file.path == "/b.txt");
}

TEST_CASE("what was read writes back the same") {
  Everything p;
  p.clip = 0.25;
  p.named["z"] = 1;
  p.inner.depth = 7;
  const Value written = write_fields(&p, Everything::schema().fields);
  Everything again;
  REQUIRE(problems(written, &again).empty());
  CHECK(write_fields(&again, Everything::schema().fields) == written);
}

TEST_CASE("wrong types and values say where, expected and got") {
  CHECK(only_problem("flag", 1) == "x.flag: expected true or false, got integer 1");
  CHECK(only_problem("count", 1.5) == "x.count: expected integer, got number 1.5");
  CHECK(only_problem("count", true) == "x.count: expected integer, got boolean true");
  CHECK(only_problem("count", 40) == "x.count: expected from 1 to 32 frames, got 40");
  CHECK(only_problem("rate", std::numeric_limits<double>::quiet_NaN()) ==
        "x.rate: expected from 0 to 1, got nan");
  CHECK(only_problem("clip", -1) == "x.clip: expected at least 0, got -1");
  CHECK(only_problem("pool", "agv") == "x.pool: expected one of avg, max, got \"agv\"; did you mean 'avg'?");
  CHECK(only_problem("mode", "mean") == "x.mode: expected one of average, maximum, got \"mean\"");
  CHECK(only_problem("widths", Value::Array{1, 0}) == "x.widths.1: expected at least 1, got 0");
  CHECK(only_problem("mean", Value::Array{1}) == "x.mean: expected 3 entries, got 1");
  CHECK(only_problem("inner", one("dpeth", 1)) == "x.inner.dpeth: unknown key; did you mean 'depth'?");
  CHECK(only_problem("inner", 3) == "x.inner: expected table, got integer 3");
}

TEST_CASE("an integer that does not fit its type is refused") {
  CHECK(problems(one("large", std::numeric_limits<std::int64_t>::max())).empty());
  Value t = one("named", one("a", std::int64_t{1} << 40));
  const auto all = problems(t);
  REQUIRE(all.size() == 1);
  CHECK(all.front() == "x.named.a: expected from -2147483648 to 2147483647, got 1099511627776");
}

TEST_CASE("all problems come together, in the order of the text") {
  const auto source = std::make_shared<const Source>(Source{"r.toml", "/tmp", "flga = 1\ncount = 99\n"});
  Value t = Value::table();
  Value bad(99);
  bad.origin = {source, 2, 9};
  t.set("count", bad, {source, 2, 1});
  t.set("flga", 1, {source, 1, 1});
  Registry registry;
  Diagnostics d;
  ReadContext c{registry, d, ""};
  Everything p;
  read_fields(&p, Everything::schema().fields, t, c);
  CHECK(
      d.render() ==
      "r.toml:1:1: error: flga: unknown key; did you mean 'flag'?\n  1 | flga = 1\n    | ^\n"
      "r.toml:2:9: error: count: expected from 1 to 32 frames, got 99\n  2 | count = 99\n    |         ^\n");
}
