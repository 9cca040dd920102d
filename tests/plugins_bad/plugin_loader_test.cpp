#include "support/catch.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"
#include "tone.hpp"

#include <marey/core/plugin_loader.hpp>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

using namespace marey;
namespace fs = std::filesystem;

namespace {

const fs::path zoo_folder = marey::test::build_folder() / "tests" / "plugins_bad";

// What a fresh host says about one plugin.
std::string problem(const std::string& name) {
  Registry registry;
  PluginLoader loader(registry);
  const PluginStatus& s = loader.load(zoo_folder / (name + ".so"));
  CHECK_FALSE(s.loaded);
  CHECK(registry.all().empty());
  CHECK(registry.unavailable.find(s.file.string()) != std::string::npos);
  return s.problem;
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a good plugin enrols its components under its name") {
  Registry registry;
  PluginLoader loader(registry);
  const PluginStatus& s = loader.load(zoo_folder / "good.so");
  INFO(s.problem);
  REQUIRE(s.loaded);
  CHECK(s.name == "good");
  CHECK(s.version == "1.2.3");
  CHECK(s.abi == host_abi());
  const Component* c = registry.find("tone", "Beep");
  REQUIRE(c);
  CHECK(c->plugin == "good");
  CHECK(c->plugin_version == "1.2.3");
  CHECK(fs::equivalent(c->plugin_file, zoo_folder / "good.so"));
  Value table = Value::table();
  table.set("type", "Beep");
  const auto tone = std::static_pointer_cast<zoo::Tone>(read_component(registry, "tone", table).make());
  CHECK(tone->sound() == "beep");
  CHECK(std::getenv("MAREY_ZOO_GOOD"));
}

TEST_CASE("one file loads once, by whatever path") {
  test::TemporaryFolder dir;
  fs::create_symlink(zoo_folder / "good.so", dir.path() / "link.so");
  Registry registry;
  PluginLoader loader(registry);
  loader.load(zoo_folder / "good.so");
  loader.load(zoo_folder / "." / "good.so");
  loader.load(dir.path() / "link.so");
  CHECK(loader.statuses().size() == 1);
  CHECK(loader.statuses()[0].loaded);
}

TEST_CASE("a plugin for another host is refused before any of its code runs") {
  const std::string text = problem("other_abi");
  CHECK(has(text, "marey-0;torch-1.0;cxx11abi-0;gnu-4;c++20"));
  CHECK(has(text, host_abi()));
  CHECK(has(text, "rebuild"));
  CHECK_FALSE(std::getenv("MAREY_ZOO_OTHER_ABI"));
}

TEST_CASE("a library that is no plugin is not loaded") {
  CHECK(has(problem("no_note"), "is a shared library but no Marey plugin"));
  CHECK_FALSE(std::getenv("MAREY_ZOO_NO_NOTE"));
}

TEST_CASE("each broken plugin is refused with its reason") {
  CHECK(has(problem("no_descriptor"), "no Marey plugin"));
  CHECK(has(problem("wrong_magic"), "expected to start with 0x4d415245, got 0x12345678"));
  CHECK(has(problem("wrong_size"), "another layout"));
  CHECK(has(problem("no_name"), "incomplete"));
  CHECK(has(problem("lying_note"), "plugin: marey-0"));
  CHECK(has(problem("undefined_symbol"), "nobody_has_this_function"));
  CHECK(has(problem("enrol_throws"), "plugin 'enrol_throws' failed to enrol"));
  CHECK(has(problem("enrol_throws"), "the licence server is on holiday"));
  CHECK(has(problem("enrol_throws_int"), "no std::exception"));
  CHECK(has(problem("half_enrolment"), "out of breath"));
}

TEST_CASE("a name that is taken is refused, and takes back what the plugin added before") {
  Registry registry;
  PluginLoader loader(registry);
  REQUIRE(loader.load(zoo_folder / "good.so").loaded);
  const auto text = loader.load(zoo_folder / "duplicate.so").problem;
  CHECK(has(text, "tone 'Beep' is offered twice"));
  CHECK(has(text, "good.so"));
  CHECK(has(text, "duplicate.so"));
  CHECK(registry.names("tone") == std::vector<std::string>{"Beep"});
  CHECK(has(loader.load(zoo_folder / "same_name.so").problem, "is already loaded from"));
}

TEST_CASE("a recipe that needs a broken plugin is told which one and why") {
  Registry registry;
  PluginLoader loader(registry);
  loader.load(zoo_folder / "other_abi.so");
  Value table = Value::table();
  table.set("type", "Beep");
  try {
    read_component(registry, "tone", table);
    FAIL("no error");
  } catch (const RecipeError& e) {
    CHECK(has(e.what(), "no tone is called 'Beep'"));
    CHECK(has(e.what(), "other_abi.so"));
    CHECK(has(e.what(), "rebuild"));
  }
}

TEST_CASE("a folder loads in the order of names; broken ones do not stop the good one") {
  Registry registry;
  PluginLoader loader(registry);
  loader.load_folder(zoo_folder);
  CHECK(loader.statuses().size() == 14);
  CHECK(loader.statuses().front().file.filename() == "duplicate.so");
  CHECK(registry.find("tone", "AnotherBeep"));  // duplicate.so came first, so now good.so is the second
  CHECK_FALSE(registry.find("tone", "HalfBeep"));
  CHECK_FALSE(registry.find("tone", "OldHalfBeep"));
}

TEST_CASE("missing files and folders are problems, each once") {
  Registry registry;
  PluginLoader loader(registry);
  loader.load("/nowhere/x.so");
  loader.load("/nowhere/x.so");
  loader.load_folder("/nowhere");
  loader.load_folder("/nowhere");
  REQUIRE(loader.statuses().size() == 2);
  CHECK(has(loader.statuses()[0].problem, "cannot be found"));
  CHECK(has(loader.statuses()[1].problem, "this plugin folder cannot be found"));
}

TEST_CASE("given paths come first, then the variable, then the installation; never the working directory") {
  test::TemporaryFolder given, variable, installed;
  fs::copy_file(zoo_folder / "good.so", given.path() / "good.so");
  fs::copy_file(zoo_folder / "same_name.so", variable.path() / "same_name.so");
  fs::copy_file(zoo_folder / "duplicate.so", installed.path() / "duplicate.so");
  setenv("MAREY_PLUGIN_PATH", (":relative:" + variable.path().string() + ":").c_str(), 1);
  Registry registry;
  PluginLoader loader(registry);
  loader.load_all({given.path()}, installed.path());
  unsetenv("MAREY_PLUGIN_PATH");
  REQUIRE(loader.statuses().size() == 4);
  CHECK(loader.statuses()[0].loaded);
  CHECK(has(loader.statuses()[1].problem, "absolute paths only"));
  CHECK(has(loader.statuses()[2].problem, "is already loaded from"));
  CHECK(has(loader.statuses()[3].problem, "offered twice"));
}

TEST_CASE("a plugin that others can change is not loaded") {
  test::TemporaryFolder dir;
  const auto file = dir.path() / "good.so";
  fs::copy_file(zoo_folder / "good.so", file);
  ::chmod(file.c_str(), 0666);
  Registry registry;
  PluginLoader loader(registry);
  CHECK(has(loader.load(file).problem, "chmod o-w"));
  ::chmod(file.c_str(), 0644);
  ::chmod(dir.path().c_str(), 0777);
  PluginLoader again(registry);
  CHECK(has(again.load(file).problem, "chmod o-w"));
  CHECK(registry.all().empty());
  ::chmod(dir.path().c_str(), 0700);
}
