#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/data/missing_files.hpp>

namespace fs = std::filesystem;

TEST_CASE("missing files are found folder by folder") {
  marey::test::TemporaryFolder folder;
  folder.write("a/here.mp4", "x");
  folder.write("a/blank and ünï.mp4", "x");
  fs::create_directories(folder.path() / "a/folder.mp4");
  fs::create_symlink("here.mp4", folder.path() / "a/link.mp4");
  fs::create_symlink("gone.mp4", folder.path() / "a/broken.mp4");
  const std::vector<fs::path> paths = {"a/here.mp4",      "a/nope.mp4", "a/blank and ünï.mp4",
                                       "a/folder.mp4",    "a/link.mp4", "a/broken.mp4",
                                       "no folder/x.mp4", "a/nope.mp4", "a/../a/here.mp4"};
  const auto missing =
      marey::data::find_missing_files(paths.size(), [&](std::size_t i) { return folder.path() / paths[i]; });
  CHECK(missing.indices == std::vector<std::size_t>{1, 3, 5, 6, 7});
  REQUIRE(missing.folder_problems.size() == 1);
  CHECK(missing.folder_problems[0].find("no folder: No such file") != std::string::npos);
}

TEST_CASE("no files, nothing missing") {
  const auto missing = marey::data::find_missing_files(0, [](std::size_t) { return fs::path(); });
  CHECK(missing.indices.empty());
  CHECK(missing.folder_problems.empty());
}
