// What every command has in common.
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace marey::test;

TEST_CASE("the version and the overview need no library") {
  const auto version = marey_run({"--version"});
  CHECK(version.code == 0);
  CHECK(version.out.rfind("marey 0.", 0) == 0);
  // Proof: LibTorch is not mapped. The loader reports every library that it binds.
  const auto traced = marey_run({"--version"}, {.environment = {{"LD_DEBUG", "files"}}});
  CHECK(traced.err.find("libstdc++") != std::string::npos);
  CHECK(traced.err.find("libtorch") == std::string::npos);
  const auto help = marey_run({"--help"});
  CHECK(help.code == 0);
  CHECK(help.out.find("train RECIPE") != std::string::npos);
  CHECK(marey_run({}).code == 2);
}

TEST_CASE("unknown commands and options get a suggestion and exit code 2") {
  const auto command = marey_run({"lits"});
  CHECK(command.code == 2);
  CHECK(command.err.find("marey has no command 'lits'; did you mean 'list'?") != std::string::npos);
  CHECK(command.out.empty());
  const auto option = marey_run({"list", "--jsn"});
  CHECK(option.code == 2);
  CHECK(option.err.find("did you mean '--json'?") != std::string::npos);
  CHECK(marey_run({"list", "a", "b"}).code == 2);
  CHECK(marey_run({"config"}).code == 2);
  CHECK(marey_run({"new", "plugin", "hook"}).code == 2);
  CHECK(marey_run({"completion", "tcsh"}).code == 2);
}

TEST_CASE("an answer that cannot be written is an error") {
  const auto full = Child({"/bin/sh", "-c", marey_program() + " list >/dev/full"}).wait();
  CHECK(full.code == 1);
  CHECK(full.err == "error: stdout cannot be written: No space left on device\n");
}

TEST_CASE("every command explains itself") {
  const std::string overview = marey_run({"--help"}).out;
  const std::vector<std::vector<std::string>> all{
      {"check"},        {"config"},        {"data", "motion"}, {"data", "check"},     {"data", "index"},
      {"data", "pack"}, {"data", "stats"}, {"data", "probe"},  {"data", "rawframes"}, {"describe"},
      {"doctor"},       {"list"},          {"new", "plugin"},  {"predict"},           {"schema"},
      {"test"},         {"train"}};
  for (const auto& command : all) {
    auto words = command;
    words.push_back("--help");
    const auto help = marey_run(words);
    INFO(help.err);
    CHECK(help.code == 0);
    CHECK(help.out.find("usage: marey " + command.front()) == 0);
    CHECK(overview.find("\n  " + command.front()) != std::string::npos);
  }
}
