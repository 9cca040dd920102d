// The command `export`: files under the names of other projects, as their programs read them.
#include "models/peer_weights.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/train/pth.hpp>
#include <marey/train/safetensors.hpp>

#include <ATen/Functions.h>

#include <cstdlib>

using namespace marey;
using namespace marey::test;
using Catch::Matchers::Contains;

namespace {

TensorMap peer_weights(const Tensors& fixture) {
  TensorMap out;
  for (const auto& [key, tensor] : fixture)
    if (key.starts_with("w.")) out[key.substr(2)] = tensor;
  return out;
}

void same(const TensorMap& a, const TensorMap& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, tensor] : a) {
    INFO(name);
    REQUIRE(b.contains(name));
    CHECK(tensor.scalar_type() == b.at(name).scalar_type());
    CHECK(tensor.equal(b.at(name)));
  }
}

// A Python with torch and safetensors, from MAREY_EXPORT_PYTHON; empty, with a warning, without one.
std::string python() {
  const char* set = std::getenv("MAREY_EXPORT_PYTHON");
  if (set && *set) return set;
  WARN(
      "not read back by Python: MAREY_EXPORT_PYTHON names no Python with torch and safetensors "
      "(scripts/check-export makes one)");
  return {};
}

// torch.load(weights_only=True), or safetensors, finds the same tensors.
void read_back_by_python(const TemporaryFolder& folder, const std::filesystem::path& file,
                         const std::string& under, const TensorMap& expected) {
  const std::string program = python();
  if (program.empty()) return;
  const auto reference = folder.path() / "reference.safetensors";
  write_safetensors(reference, expected);
  const auto script = folder.write("read_back.py", R"(import sys, torch
from safetensors.torch import load_file
path, under, reference = sys.argv[1:]
found = load_file(path) if path.endswith(".safetensors") else torch.load(path, weights_only=True)
if under:
    assert list(found) == [under], list(found)
    found = found[under]
expected = load_file(reference)
assert set(found) == set(expected), set(found) ^ set(expected)
for name, tensor in expected.items():
    assert found[name].dtype == tensor.dtype, name
    assert torch.equal(found[name], tensor), name
print(len(found), "tensors")
)");
  const auto done = Child({program, script.string(), file.string(), under, reference.string()}).wait();
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(done.out == std::to_string(expected.size()) + " tensors\n");
}

void export_back(const char* name, const std::string& project, const std::string& under) {
  const Tensors fixture = read_fixture(name);
  if (fixture.empty()) return;
  INFO(name);
  const TensorMap theirs = peer_weights(fixture);
  const TensorMap ours = with_own_names(theirs, project).weights;
  const TemporaryFolder folder;
  const auto in = folder.path() / "ours.safetensors";
  write_safetensors(in, ours);
  for (const char* file : {"out.pth", "out.safetensors"}) {
    const auto out = folder.path() / file;
    const auto done = marey_run({"export", in.string(), "-o", out.string(), "--names", project});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const ForeignWeights read = read_foreign_weights(out);
    const bool pth = out.extension() == ".pth";
    CHECK(read.found_under == (pth ? under : ""));
    TensorMap expected = theirs;
    if (project == "timesformer" && !theirs.begin()->first.starts_with("model.")) {
      expected.clear();
      for (const auto& [key, tensor] : theirs) expected["model." + key] = tensor;
    }
    same(expected, read.weights);
    read_back_by_python(folder, out, pth ? under : "", expected);
  }
}

}  // namespace

TEST_CASE("export: SlowFast comes back under each project's names") {
  export_back("pyslowfast_slowfast_8x8like", "pyslowfast", "model_state");
  export_back("ptv_slowfast_r50", "pytorchvideo", "model_state");
  export_back("mmaction2_slowfast_r50_4x16like", "mmaction2", "state_dict");
  export_back("mmaction2_slowfast_r18like", "mmaction2", "state_dict");
}

TEST_CASE("export: networks of one pathway and non-local blocks") {
  export_back("pyslowfast_slow_r50", "pyslowfast", "model_state");
  export_back("pyslowfast_slowfast_nonlocal", "pyslowfast", "model_state");
  for (const char* project : {"mmaction2", "pytorchvideo"}) {
    const TensorMap ours{{"backbone.stage1.0.shortcut.conv.weight", at::ones({1})},
                         {"backbone.stem.conv.weight", at::ones({2})},
                         {"head.fc.bias", at::ones({3})}};
    same(ours, with_own_names(with_project_names(ours, project), project).weights);
  }
}

TEST_CASE("export: TimeSformer comes back under each project's names") {
  for (const char* kind : {"divided", "joint", "space_only"}) {
    export_back((std::string("timesformer_repo_") + kind).c_str(), "timesformer", "model_state");
    export_back((std::string("mmaction2_timesformer_") + kind).c_str(), "mmaction2", "state_dict");
  }
  export_back("hf_timesformer_divided", "hf", "");
  export_back("hf_timesformer_space_only", "hf", "");
}

TEST_CASE("export: every element type, scalars, empty tensors and views") {
  const at::Tensor base = at::arange(24).reshape({2, 3, 4});
  TensorMap weights{{"scalar", at::full({}, 3.5)},
                    {"empty", at::ones({0, 4})},
                    {"view", base.to(at::kFloat).permute({2, 0, 1})},
                    {"ünïcode", at::ones({1})}};
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort,
                          at::kChar, at::kByte, at::kBool})
    weights[std::string("of ") + c10::toString(type)] = base.to(type);
  const TemporaryFolder folder;
  const auto file = folder.path() / "all.pth";
  write_pth(file, weights);
  same(weights, read_foreign_weights(file).weights);
  for (auto& [name, tensor] : weights) tensor = tensor.contiguous();
  read_back_by_python(folder, file, "", weights);
  CHECK_THROWS_AS(write_pth(file, {{"complex", at::ones({1}, at::kComplexFloat)}}), Error);
}

TEST_CASE("export: wrong uses") {
  const TemporaryFolder folder;
  const auto in = (folder.path() / "in.safetensors").string();
  write_safetensors(in, {{"backbone.patch_embed.proj.bias", at::ones({1})}});
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"export", in});
    const auto done = marey_run(words);
    CHECK(done.code == 2);
    return done.err;
  };
  const std::string out = (folder.path() / "out.pth").string();
  CHECK_THAT(error({}), Contains("--out is missing"));
  CHECK_THAT(error({"-o", in}), Contains("is the file to export"));
  CHECK_THAT(error({"-o", "x.bin"}), Contains("the ending shows no format"));
  CHECK_THAT(error({"-o", out, "--format", "pht"}), Contains("did you mean 'pth'"));
  CHECK_THAT(error({"-o", out, "--names", "mmaction"}), Contains("did you mean 'mmaction2'"));
  CHECK_THAT(error({"-o", out, "--names", "pyslowfast"}), Contains("are of no network known there"));
  CHECK_FALSE(std::filesystem::exists(out));
}
