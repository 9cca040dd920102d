// config and schema.
#include "support/approval.hpp"
#include "support/catch.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

using namespace marey::test;
using nlohmann::json;

namespace {
const std::string quickstart = source_folder().string() + "/configs/quickstart/slowfast_motion.toml";

// Messages name files; their folder differs from machine to machine.
std::string without(std::string text, const std::string& folder, const std::string& instead) {
  for (std::size_t i = 0; (i = text.find(folder, i)) != std::string::npos; i += instead.size())
    text.replace(i, folder.size(), instead);
  return text;
}
}  // namespace

TEST_CASE("config prints a recipe that reads back the same") {
  const auto merged = marey_run({"config", quickstart, "optimizer.lr=0.005"});
  INFO(merged.err);
  REQUIRE(merged.code == 0);
  CHECK(merged.out.find("lr = 0.005") != std::string::npos);
  const auto resolved = marey_run({"config", quickstart, "--resolved"});
  REQUIRE(resolved.code == 0);
  approve("quickstart_resolved.toml", without(resolved.out, source_folder().string(), "<source>"));
  TemporaryFolder dir;
  const auto again = marey_run({"config", dir.write("again.toml", resolved.out).string(), "--resolved"});
  INFO(again.err);
  CHECK(again.out == resolved.out);
}

TEST_CASE("config --origin names the place of each value") {
  const auto done = marey_run({"config", "--origin", "configs/quickstart/slowfast_motion.toml", "seed=9"},
                              {.folder = source_folder()});
  REQUIRE(done.code == 0);
  approve("quickstart_origin.txt", done.out);
  const auto as_json = json::parse(marey_run({"config", quickstart, "seed=9", "--origin", "--json"}).out);
  CHECK(as_json["seed"]["value"] == 9);
  CHECK(as_json["seed"]["origin"] == "command line:1:6");
}

TEST_CASE("a misspelled override is one error with a suggestion") {
  const auto done = marey_run({"config", quickstart, "model.backbone.aplha=4"});
  CHECK(done.code == 2);
  CHECK(done.err ==
        "command line:1:16: error: model.backbone.aplha: unknown key; did you mean 'alpha'?\n"
        "  1 | model.backbone.aplha=4\n    |                ^\n");
}

TEST_CASE("everything that is wrong with a recipe is said at once") {
  TemporaryFolder dir;
  dir.write("base.toml",
            "[model]\ntype = \"Recognizer\"\n[model.backbone]\ntype = \"SlowFast\"\nalpha = 0\n");
  dir.write("bad.toml",
            "base = \"base.toml\"\nsede = 1\n[model.head]\ntype = "
            "\"SlowFstHead\"\n[model.loss]\nlabel_smoothing = 2\n"
            "[train]\nmax_epochs = \"ten\"\ndevice = 3\n[loader]\non_error = \"ignore\"\n[hooks]\namp = "
            "3\n[optimizer]\ntype = \"SGD\"\nlr = -1\n");
  const auto done = marey_run({"config", "bad.toml", "train.epochs=3"}, {.folder = dir.path()});
  CHECK(done.code == 2);
  approve("recipe_errors.txt", done.err);
}

TEST_CASE("the schema is written as one document") {
  TemporaryFolder dir;
  const auto file = dir.path() / "s.json";
  CHECK(marey_run({"schema", "--out", file.string()}).code == 0);
  const auto schema = json::parse(marey::read_file(file));
  CHECK(schema["$defs"].contains("backbone/SlowFast"));
  CHECK(schema == json::parse(marey_run({"schema"}).out));
}
