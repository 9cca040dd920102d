#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "train/small_checkpoint.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/train/checkpoint.hpp>

#include <ATen/Functions.h>

using namespace marey;
using Catch::Matchers::Contains;
using marey::test::small_checkpoint;
using marey::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& folder) {
  try {
    verify_checkpoint(folder);
  } catch (const CheckpointError& e) {
    return e.what();
  }
  return "accepted";
}

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a checkpoint comes back as it was written") {
  const TemporaryFolder folder;
  const auto place = folder.path() / "checkpoints";
  const Checkpoint written = small_checkpoint(12000);
  const fs::path at = write_checkpoint(place, written);
  CHECK(at == place / "step_000012000");
  for (const char* name :
       {"model.safetensors", "optimizer.safetensors", "hooks.safetensors", "state.json", "manifest.json"})
    CHECK(fs::is_regular_file(at / name));
  CHECK_THAT(read_file(place / "last.json"), Contains("step_000012000"));

  const Checkpoint back = read_checkpoint(at);
  CHECK(back.step() == 12000);
  CHECK(back.state == written.state);
  CHECK(back.model.at("layer.weight").equal(written.model.at("layer.weight")));
  CHECK(back.model.size() == 2);
  CHECK(back.optimizer.values == written.optimizer.values);
  CHECK(back.optimizer.tensors.at("layer.weight.momentum")
            .equal(written.optimizer.tensors.at("layer.weight.momentum")));
  REQUIRE(back.hooks.size() == 2);
  CHECK(back.hooks.at("ema")
            .tensors.at("layer/weight")
            .equal(written.hooks.at("ema").tensors.at("layer/weight")));
  CHECK(back.hooks.at("stop").values == written.hooks.at("stop").values);
  CHECK(back.hooks.at("stop").tensors.empty());
}

TEST_CASE("a checkpoint of the same step is replaced") {
  const TemporaryFolder folder;
  write_checkpoint(folder.path(), small_checkpoint(3, 1.0));
  const fs::path at = write_checkpoint(folder.path(), small_checkpoint(3, 2.0));
  CHECK(read_checkpoint(at).model.at("layer.weight").equal(at::full({2, 3}, 2.0)));
  CHECK(list_checkpoints(folder.path()).size() == 1);
  for (const auto& entry : fs::directory_iterator(folder.path()))
    CHECK((entry.path() == at || entry.path().filename() == "last.json"));
}

TEST_CASE("every damaged byte and every truncation of a checkpoint is found") {
  const TemporaryFolder folder;
  const fs::path at = write_checkpoint(folder.path(), small_checkpoint(1));
  for (const auto& entry : fs::directory_iterator(at)) {
    const fs::path file = entry.path();
    const std::string good = read_file(file);
    for (std::size_t i = 0; i + 1 < good.size();
         i += 1 + good.size() / 60) {  // the last byte of JSON is a line end
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 4);
      overwrite(file, bad);
      INFO(file << " byte " << i);
      CHECK(refusal(at) != "accepted");
      CHECK_THROWS_AS(read_checkpoint(at), CheckpointError);
    }
    for (const std::size_t length : {std::size_t{0}, good.size() / 2, good.size() - 2}) {
      overwrite(file, good.substr(0, length));
      INFO(file << " cut to " << length);
      CHECK_THAT(refusal(at), Contains(file.filename().string()));
    }
    overwrite(file, good);
  }
  CHECK(refusal(at) == "accepted");
}

TEST_CASE("what is no checkpoint is refused with a reason") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal(folder.path() / "missing"), Contains("no such folder"));
  const fs::path at = write_checkpoint(folder.path(), small_checkpoint(1));
  SECTION("a file of the manifest is gone") {
    fs::remove(at / "optimizer.safetensors");
    CHECK_THAT(refusal(at), Contains("optimizer.safetensors"));
  }
  SECTION("the manifest is gone") {
    fs::remove(at / "manifest.json");
    CHECK_THAT(refusal(at), Contains("manifest.json is missing"));
  }
  SECTION("the manifest leads outside the folder") {
    overwrite(at / "manifest.json",
              R"({"files":{"model.safetensors":{},"optimizer.safetensors":{},"state.json":{},)"
              R"("../last.json":{"bytes":1,"xxh3_128":"0"}},"format":1})");
    CHECK_THAT(refusal(at), Contains("no plain file name"));
  }
  SECTION("a newer format") {
    overwrite(at / "manifest.json", R"({"files":{},"format":2})");
    CHECK_THAT(refusal(at), Contains("has format 2, expected 1"));
  }
}

TEST_CASE("the newest checkpoint that verifies is found, and each one passed over is named") {
  const TemporaryFolder folder;
  const auto place = folder.path() / "checkpoints";
  CHECK_FALSE(newest_valid_checkpoint(place));
  for (const std::int64_t step : {9, 10, 100}) write_checkpoint(place, small_checkpoint(step));
  fs::create_directory(place / "step_5");          // no name of ours
  fs::create_directory(place / "step_000000200");  // empty
  overwrite(place / "step_000000300", "a file");
  overwrite(place / "step_000000100" / "state.json", "{}");
  std::vector<std::string> skipped;
  CHECK(newest_valid_checkpoint(place, &skipped) == place / "step_000000010");
  REQUIRE(skipped.size() == 2);
  CHECK_THAT(skipped[0], Contains("step_000000200"));
  CHECK_THAT(skipped[1], Contains("state.json"));
  CHECK(list_checkpoints(place).size() == 4);

  remove_checkpoint(place / "step_000000010");
  CHECK(newest_valid_checkpoint(place) == place / "step_000000009");
  CHECK_FALSE(fs::exists(place / "step_000000010"));
}

TEST_CASE("what another process is writing is left alone, what a dead one left is removed") {
  const TemporaryFolder folder;
  const auto alive = folder.path() / (".writing-step_000000001-" + std::to_string(::getpid()));
  const auto dead =
      folder.path() / ".removing-step_000000001-99999999";  // above the highest number of a process
  fs::create_directory(alive);
  fs::create_directory(dead);
  CHECK(remove_leftovers(folder.path()) == std::vector<fs::path>{dead});
  CHECK(fs::exists(alive));
  CHECK_FALSE(fs::exists(dead));
}
