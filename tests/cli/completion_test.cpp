#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

using namespace marey::test;

namespace {

std::string completed(std::vector<std::string> words) {
  words.insert(words.begin(), "complete-words");
  const auto done = marey_run(words, {.environment = {{"LD_DEBUG", "files"}}});
  CHECK(done.code == 0);
  CHECK(done.err.find("libtorch") == std::string::npos);
  return done.out;
}

}  // namespace

TEST_CASE("commands, kinds and components complete") {
  CHECK(completed({"de"}) == "describe\n");
  CHECK(completed({"new", ""}) == "plugin\n");
  CHECK(completed({"completion", "z"}) == "zsh\n");
  CHECK(completed({"list", "back"}) == "backbone\n");
  CHECK(completed({"describe", "SlowFast"}) == "SlowFast\nSlowFastHead\n");
  CHECK(completed({"list", "--j"}) == "--json\n");
  CHECK(completed({"nothing", "x"}).empty());
}

TEST_CASE("override keys and values complete from the recipe's components") {
  TemporaryFolder dir;
  const std::string recipe =
      dir.write("r.toml",
                "[model]\ntype = \"Recognizer\"\n[model.backbone]\ntype = \"SlowFast\"\n[hooks.amp]\ntype = "
                "\"AMP\"\n"
                "[[data.train.pipeline]]\ntype = \"Flip\"\n[data.train]\ntype = \"VideoDataset\"\n")
          .string();
  CHECK(completed({"train", recipe, "opt"}) == "optimizer.\n");
  CHECK(completed({"config", recipe, "seed"}) == "seed=\n");
  CHECK(completed({"train", recipe, "model.backbone.alp"}) == "model.backbone.alpha=\n");
  CHECK(completed({"train", recipe, "+hooks.amp.dt"}) == "+hooks.amp.dtype=\n");
  CHECK(completed({"train", recipe, "hooks.amp.dtype=bf"}) == "hooks.amp.dtype=bfloat16\n");
  CHECK(completed({"train", recipe, "train.deterministic=f"}) == "train.deterministic=false\n");
  CHECK(completed({"train", recipe, "optimizer.type=S"}) == "optimizer.type=SGD\n");
  CHECK(completed({"train", recipe, "nothing.at.all"}).empty());
  CHECK(completed({"train", (dir.path() / "none.toml").string(), "opt"}).empty());
}

TEST_CASE("the bash script completes in a real shell") {
  TemporaryFolder dir;
  const auto script =
      dir.write("try.sh",
                "source <(\"$1\" completion bash)\nCOMP_LINE=\"$1 desc\" COMP_POINT=${#COMP_LINE} _marey\n"
                "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const auto done = Child({"/bin/bash", script.string(), marey_program()}).wait();
  CHECK(done.out.find("describe\n") != std::string::npos);
}
