// Weight files of torch.save() and LibTorch: each has the outcome that its folder's README states.
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/train/foreign_weights.hpp>
#include <marey/train/safetensors.hpp>

#include <ATen/Functions.h>

#include <filesystem>
#include <set>
#include <string>

using namespace marey;
using marey::test::contains;
using marey::test::message_of;

namespace {

namespace fs = std::filesystem;

fs::path fixture(const std::string& name) {
  const fs::path folder = marey::test::fixture_folder("pth");
  fs::path file = folder / name;
  if (fs::exists(file)) return file;
  WARN("skipped: " << file.string() << " is absent (MAREY_FIXTURES names the folder of the fixtures)");
  return {};
}

std::set<std::string> names(const TensorMap& tensors) {
  std::set<std::string> out;
  for (const auto& [name, tensor] : tensors) out.insert(name);
  return out;
}

std::string refusal(const fs::path& file) {
  return message_of<CheckpointError>([&] { read_foreign_weights(file); });
}

// A Linear(4, 3) and a BatchNorm1d(3).
void check_small_network(const TensorMap& w) {
  CHECK(names(w) == std::set<std::string>{"0.bias", "0.weight", "1.bias", "1.num_batches_tracked",
                                          "1.running_mean", "1.running_var", "1.weight"});
  CHECK(w.at("0.weight").sizes() == at::IntArrayRef({3, 4}));
  CHECK(w.at("0.weight").scalar_type() == at::kFloat);
  CHECK(w.at("0.weight").abs().max().item<float>() <= 0.5f);  // Linear(4, …) starts within 1/√4
  CHECK(w.at("0.weight").abs().min().item<float>() > 0);
  CHECK(w.at("1.num_batches_tracked").scalar_type() == at::kLong);
  CHECK(w.at("1.num_batches_tracked").dim() == 0);
}

}  // namespace

TEST_CASE("weights: a state dict in each form of torch.save()") {
  const fs::path ordered = fixture("sd_ordered.pth");
  if (ordered.empty()) return;
  for (const char* name : {"sd_ordered.pth", "sd_dict.pth", "legacy.pth"}) {
    INFO(name);
    const ForeignWeights read = read_foreign_weights(fixture(name));
    CHECK(read.container == (std::string(name) == "legacy.pth" ? "legacy" : "zip"));
    CHECK(read.found_under.empty());
    CHECK(read.rest.empty());
    check_small_network(read.weights);
    // The older form was saved after a step, as mm.pth was.
    const TensorMap other =
        read_foreign_weights(read.container == "legacy" ? fixture("mm.pth") : ordered).weights;
    for (const auto& [key, tensor] : read.weights)
      if (!key.starts_with("1.")) CHECK(tensor.equal(other.at(key)));
  }
}

TEST_CASE("weights: a checkpoint in the manner of MMAction2") {
  const fs::path file = fixture("mm.pth");
  if (file.empty()) return;
  const ForeignWeights read = read_foreign_weights(file);
  CHECK(read.found_under == "state_dict");
  check_small_network(read.weights);
  CHECK(read.weights.at("1.num_batches_tracked").item<std::int64_t>() == 1);
  CHECK(read.rest.at("meta") == nlohmann::json{{"epoch", 3}, {"cfg", "x"}, {"time", "t"}});
  CHECK(read.rest.contains("optimizer"));
}

TEST_CASE("weights: parameters, numpy scalars, half precision and shared storages") {
  if (const fs::path file = fixture("param.pth"); !file.empty()) {
    const ForeignWeights read = read_foreign_weights(file);
    CHECK(read.found_under == "state_dict");
    check_small_network(read.weights);
    CHECK(read.rest.at("p") == "tensor Float [2]");
  }
  if (const fs::path file = fixture("np.pth"); !file.empty()) {
    const ForeignWeights read = read_foreign_weights(file);
    CHECK(read.weights.at("t").equal(at::ones({1})));
    CHECK(read.rest.at("acc") == 0.5);
  }
  if (const fs::path file = fixture("dt.pth"); !file.empty()) {
    const TensorMap w = read_foreign_weights(file).weights;
    CHECK(w.at("half").equal(at::ones({3}, at::kHalf)));
    CHECK(w.at("bf").equal(at::ones({3}, at::kBFloat16)));
    CHECK(w.at("u8").equal(at::ones({3}, at::kByte)));
    CHECK(w.at("shared.0").equal(at::arange(4)));
    w.at("shared.0").zero_();  // two names of one storage: each has memory of its own here
    CHECK(w.at("shared.1").equal(at::arange(4)));
  }
}

TEST_CASE("weights: what LibTorch writes") {
  if (const fs::path file = fixture("cpp_saved.pth"); !file.empty()) {
    const TensorMap w = read_foreign_weights(file).weights;
    CHECK(w.at("conv.weight").equal(at::ones({2, 3})));
    CHECK(w.at("bf").scalar_type() == at::kBFloat16);
  }
  if (const fs::path file = fixture("cpp_archive.pt"); !file.empty())
    CHECK(names(read_foreign_weights(file).weights) == std::set<std::string>{"w"});
}

TEST_CASE("weights: what must be refused is refused, and nothing runs") {
  if (const fs::path file = fixture("evil.pth"); !file.empty()) {
    const std::string text = refusal(file);
    INFO(text);
    CHECK(contains(text, file.string()));
    CHECK(contains(text, "posix.system"));
    CHECK(contains(text, "nothing was run"));
    CHECK_FALSE(fs::exists("pwned-by-pickle"));
  }
  if (const fs::path file = fixture("whole.pth"); !file.empty()) {
    const std::string text = refusal(file);
    INFO(text);
    CHECK(contains(text, "a whole module (torch.nn.modules.container.Sequential)"));
    CHECK(contains(text, "save model.state_dict()"));
  }
  if (const fs::path file = fixture("lying_storage_length.pth"); !file.empty()) {
    const std::string text = refusal(file);
    INFO(text);
    CHECK(contains(text, "'w' lies in the storage '0' of 255 elements of 4 bytes, but the file holds 48"));
  }
}

TEST_CASE("weights: safetensors by content, other files by a message") {
  const marey::test::TemporaryFolder folder;
  write_safetensors(folder.path() / "a.pth", {{"w", at::ones({2})}}, {{"epoch", "3"}});
  const ForeignWeights read = read_foreign_weights(folder.path() / "a.pth");
  CHECK(read.container == "safetensors");
  CHECK(read.weights.at("w").equal(at::ones({2})));
  CHECK(read.rest.at("epoch") == "3");
  CHECK(contains(refusal(folder.write("b.pth", "")), "the file is empty"));
  CHECK(contains(refusal(folder.write("b.pth", "hello, world")), "is no weight file"));
  CHECK(contains(refusal(folder.path()), "is no regular file"));
}
