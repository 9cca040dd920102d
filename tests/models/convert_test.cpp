// The command `convert`: the peers' weights become files that our models load.
#include "models/peer_weights.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <marey/train/safetensors.hpp>

#include <ATen/Functions.h>
#include <nlohmann/json.hpp>

using namespace marey;
using namespace marey::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

// A file as the project writes it, in half precision and under DistributedDataParallel.
std::filesystem::path peer_file(const TemporaryFolder& folder, const Tensors& fixture) {
  TensorMap out;
  for (const auto& [key, tensor] : fixture)
    if (key.starts_with("w.")) out["module." + key.substr(2)] = tensor.to(at::kHalf);
  const auto path = folder.path() / "peer.pth";
  write_safetensors(path, out);
  return path;
}

std::filesystem::path recipe(const TemporaryFolder& folder, const std::string& backbone,
                             const std::string& head, std::int64_t classes) {
  return folder.write("recipe.toml",
                      "[model]\ntype = 'Recognizer'\n[model.loss]\ntype = 'CrossEntropy'\n"
                      "[model.backbone]\ntype = 'SlowFast'\nbeta = 0.5\nstem_width = 4\n"
                      "widths = [4, 8, 16, 32]\n" +
                          backbone + "\n[model.head]\ntype = 'SlowFastHead'\n" + head +
                          "\nnum_classes = " + std::to_string(classes) + "\n");
}

std::string kernel(const Tensors& weights) {
  return "fusion_kernel = " + std::to_string(weights.at("backbone.lateral.stem.conv.weight").size(2)) + "\n";
}

void convert(const char* fixture_name, const char* project, const std::string& backbone,
             const std::string& head) {
  const Tensors fixture = read_fixture(fixture_name);
  if (fixture.empty()) return;
  const TemporaryFolder folder;
  const Tensors expected = renamed(fixture, "w.", project);
  const auto in = peer_file(folder, fixture);
  const auto out = folder.path() / "out.safetensors";
  const auto toml =
      recipe(folder, backbone + "\n" + kernel(expected), head, expected.at("head.fc.weight").size(0));
  const auto done =
      marey_run({"convert", in.string(), "-o", out.string(), "--recipe", toml.string(), "--json"});
  INFO(done.err);
  REQUIRE(done.code == 0);
  const json report = json::parse(done.out);
  CHECK(report["from"] == project);
  CHECK(report["tensors"].size() == expected.size());
  CHECK(report["fit"]["missing"].empty());
  CHECK(report["fit"]["settings"].empty());
  const TensorMap written = read_safetensors(out);
  REQUIRE(written.size() == expected.size());
  for (const auto& [name, tensor] : expected) {
    INFO(name);
    CHECK(written.at(name).equal(tensor.to(at::kHalf)));
  }
}

}  // namespace

TEST_CASE("convert: PySlowFast") { convert("pyslowfast_slowfast_8x8like", "pyslowfast", "alpha = 4", ""); }

TEST_CASE("convert: PyTorchVideo") { convert("ptv_slowfast_r50", "pytorchvideo", "alpha = 4", ""); }

TEST_CASE("convert: MMAction2") {
  convert("mmaction2_slowfast_r50_4x16like", "mmaction2",
          "alpha = 8\nlateral_norm = false\nslow_index = 'stride'", "concat = 'fast_slow'");
}

TEST_CASE("convert: weights of another model are named with the first differences") {
  const Tensors fixture = read_fixture("pyslowfast_slowfast_8x8like");
  if (fixture.empty()) return;
  const TemporaryFolder folder;
  const auto in = peer_file(folder, fixture);
  const std::string out = (folder.path() / "out.safetensors").string();
  const Tensors weights = renamed(fixture, "w.", "pyslowfast");
  const std::int64_t classes = weights.at("head.fc.weight").size(0);
  const auto toml = recipe(folder, "alpha = 4\nslow_index = 'stride'\n" + kernel(weights),
                           "concat = 'fast_slow'", classes + 1);
  const auto done = marey_run({"convert", in.string(), "--out", out, "--recipe", toml.string()});
  CHECK(done.code == 5);
  CHECK_THAT(done.err, Contains("2 tensors of another shape: head.fc.bias (model [" +
                                std::to_string(classes + 1) + "], file [" + std::to_string(classes) + "])"));
  CHECK_THAT(done.err,
             Contains("model.backbone.slow_index is \"stride\", weights of pyslowfast expect \"linspace\""));
  CHECK_THAT(done.err, Contains("model.head.concat is \"fast_slow\""));
  CHECK_FALSE(std::filesystem::exists(out));
  const auto report = marey_run({"convert", in.string(), "--out", out, "--report"});
  CHECK(report.code == 0);
  CHECK_THAT(report.out,
             Contains("module.s1.pathway0_stem.conv.weight → backbone.slow.stem.conv.weight  Half ["));
}

TEST_CASE("convert: wrong uses and files that cannot be read") {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out.safetensors").string();
  write_safetensors(folder.path() / "strange.safetensors", {{"w", at::ones({1})}});
  const std::string strange = (folder.path() / "strange.safetensors").string();
  const auto error = [](const std::vector<std::string>& words, int code) {
    const auto done = marey_run(words);
    CHECK(done.code == code);
    return done.err;
  };
  CHECK_THAT(error({"convert", strange}, 2), Contains("--out is missing"));
  CHECK_THAT(error({"convert", strange, "-o", strange}, 2), Contains("is the file to convert"));
  CHECK_THAT(error({"convert", strange, "-o", "x.pth"}, 2), Contains("ends in .safetensors"));
  CHECK_THAT(error({"convert", strange, "-o", out, "--from", "mmaction"}, 2),
             Contains("did you mean 'mmaction2'"));
  CHECK_THAT(error({"convert", strange, "-o", out}, 5), Contains("of no project known here"));
  CHECK_THAT(error({"convert", folder.write("x.pth", "x").string(), "-o", out}, 5),
             Contains("is no weight file"));
}
