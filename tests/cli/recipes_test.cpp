// Every recipe that ships passes `marey check` once its data set is there.
#include "support/catch.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

using namespace marey::test;
namespace fs = std::filesystem;

TEST_CASE("the recipes for Kinetics-400 pass `marey check`") {
  const TemporaryFolder data;
  data.write("a.mp4", "never opened");
  data.write("list.csv", "a.mp4 0\n");
  std::string classes;
  for (int i = 0; i < 400; ++i) classes += "class " + std::to_string(i) + "\n";
  data.write("classes.txt", classes);

  std::vector<fs::path> recipes;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "configs"))
    if (entry.path().filename().string().find("kinetics400") != std::string::npos &&
        entry.path().extension() == ".toml" && entry.path().string().find("_base_") == std::string::npos)
      recipes.push_back(entry.path());
  CHECK(recipes.size() > 20);
  for (const auto& recipe : recipes) {
    std::vector<std::string> words{"check", recipe.string()};
    for (const char* part : {"train", "val"}) {
      words.push_back(std::string("data.") + part + ".annotations=" + (data.path() / "list.csv").string());
      words.push_back(std::string("data.") + part + ".class_names=" + (data.path() / "classes.txt").string());
    }
    // Shapes do not depend on the widths, and narrow networks are made sooner.
    const std::string family = recipe.parent_path().filename().string();
    if (family.starts_with("slow") || family == "i3d" || family == "c2d")
      words.emplace_back("model.backbone.widths=[8, 8, 8, 8]");
    if (family == "timesformer") words.emplace_back("model.backbone.embed_dim=48");
    const auto done = marey_run(words);
    INFO(recipe.string() << "\n" << done.err);
    CHECK(done.code == 0);
  }
}
