// list, describe, schema, doctor.
#include "support/approval.hpp"
#include "support/catch.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

using namespace marey::test;
using nlohmann::json;

TEST_CASE("list shows every component by kind") {
  const auto all = marey_run({"list"});
  INFO(all.err);
  CHECK(all.code == 0);
  CHECK(all.err.empty());
  approve("list.txt", all.out);
  const auto hooks = marey_run({"list", "hook"});
  CHECK(hooks.out.find("AMP") != std::string::npos);
  CHECK(hooks.out.find("SlowFast") == std::string::npos);
  const auto unknown = marey_run({"list", "hok"});
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("did you mean 'hook'?") != std::string::npos);
}

TEST_CASE("list --json is one document with components and plugins") {
  const auto done = marey_run({"list", "--json"});
  const json all = json::parse(done.out);
  CHECK(all["components"].size() > 20);
  for (const auto& p : all["plugins"]) CHECK(p["loaded"] == true);
}

TEST_CASE("a broken plugin is listed with its reason, and the rest is offered") {
  TemporaryFolder dir;
  const auto broken = dir.write(
      "broken.so", "this is no library, only a text that is longer than an ELF header of 64 bytes\n");
  const auto done = marey_run({"list", "--json", "--plugin", broken.string()});
  CHECK(done.code == 0);
  CHECK(done.err.find("broken.so") != std::string::npos);
  const json all = json::parse(done.out);
  CHECK(all["plugins"][0]["loaded"] == false);
  CHECK_FALSE(all["plugins"][0]["problem"].get<std::string>().empty());
  CHECK(all["components"].size() > 20);
}

TEST_CASE("describe explains a component, by name or by kind and name") {
  const auto one = marey_run({"describe", "SampleFrames"});
  CHECK(one.code == 0);
  approve("describe_SampleFrames.txt", one.out);
  approve("describe_SlowFast.txt", marey_run({"describe", "backbone:SlowFast"}).out);
  const auto wrong = marey_run({"describe", "SlowFsat"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("did you mean 'SlowFast'?") != std::string::npos);
  const json as_json = json::parse(marey_run({"describe", "AMP", "--json"}).out);
  CHECK(as_json[0]["kind"] == "hook");
  CHECK(as_json[0]["parameters"].size() >= 2);
}

TEST_CASE("docs/components.md is current") {
  const auto now = marey_run({"describe", "--markdown"});
  const auto file = source_folder() / "docs" / "components.md";
  INFO("write it anew: build/bin/marey describe --markdown > docs/components.md");
  CHECK((std::filesystem::exists(file) && marey::read_file(file) == now.out));
}

TEST_CASE("doctor finds this machine and installation in order") {
  const auto text = marey_run({"doctor"});
  INFO(text.out);
  CHECK(text.code == 0);
  CHECK(text.out.find("BAD") == std::string::npos);
  CHECK(json::parse(marey_run({"doctor", "--json"}).out).size() >= 7);
}
