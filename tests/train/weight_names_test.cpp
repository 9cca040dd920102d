// Names of other projects, prefixes, and the weights that a run starts from.
#include "support/catch.hpp"
#include "train/small_run.hpp"

#include <marey/train/safetensors.hpp>
#include <marey/train/weight_fit.hpp>
#include <marey/train/weight_names.hpp>

#include <torch/nn/modules/linear.h>

using namespace marey;
using namespace marey::test;
using Catch::Matchers::Contains;

namespace {

TensorMap ones(std::initializer_list<const char*> names) {
  TensorMap out;
  for (const char* name : names) out.emplace(name, at::ones({1}));
  return out;
}

// TinyModel's numbers with a head of its own.
class HeadedModel : public Model {
 public:
  HeadedModel() {
    backbone_ = register_module("backbone", torch::nn::Linear(3, 4));
    head_ = register_module("head", torch::nn::Linear(4, 2));
  }
  TrainOutput train_step(const data::Batch& batch) override {
    const at::Tensor logits = head_->forward(backbone_->forward(colour(batch)));
    return {.loss = at::cross_entropy_loss(logits, batch.labels), .terms = {}, .scores = logits.detach()};
  }
  at::Tensor predict(const data::Batch& batch) override {
    return head_->forward(backbone_->forward(colour(batch))).softmax(1);
  }
  std::int64_t num_classes() const override { return 2; }

 private:
  static at::Tensor colour(const data::Batch& batch) {
    return batch.pixels.to(at::kFloat).mean(at::IntArrayRef{1, 3, 4, 5}) / 255;
  }
  torch::nn::Linear backbone_{nullptr}, head_{nullptr};
};

// Keeps the weights that a run begins with.
struct Peek : Hook {
  static inline TensorMap seen;
  void run_begin(Run& run) override {
    seen.clear();
    for (const auto& item : run.model->named_parameters()) seen[item.key()] = item.value().detach().clone();
  }
};

struct HeadedRun : SmallRun {
  HeadedRun() {
    registry.add<Model, HeadedModel>("HeadedModel", "a head of its own");
    registry.add<Hook, Peek>("Peek", "keeps the first weights");
  }
  std::filesystem::path file(std::int64_t classes, const std::string& prefix = "") const {
    const auto path = folder.path() / "weights.safetensors";
    write_safetensors(path, {{prefix + "backbone.weight", at::full({4, 3}, 2.0).to(at::kHalf)},
                             {prefix + "backbone.bias", at::full({4}, 3.0)},
                             {prefix + "head.weight", at::full({classes, 4}, 4.0)},
                             {prefix + "head.bias", at::full({classes}, 5.0)}});
    return path;
  }
  void begin(const std::filesystem::path& weights, std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"~model", "+model.type=HeadedModel", "+hooks.peek.type=Peek",
                                 "train.max_epochs=1", "init.weights=" + weights.string()};
    all.insert(all.end(), more.begin(), more.end());
    train(all, {.folder = run_folder(fmt::format("run{}", ++runs_))});
  }

 private:
  mutable int runs_ = 0;
};

}  // namespace

TEST_CASE("weight names: each project's names of ResNets become ours") {
  const auto check = [](const char* project, const char* theirs, const char* ours) {
    INFO(theirs);
    const NamedWeights named = with_own_names(ones({theirs}), project);
    CHECK(named.weights.begin()->first == ours);
    CHECK(named.names.at(ours) == theirs);
  };
  check("pyslowfast", "s1.pathway1_stem.conv.weight", "backbone.fast.stem.conv.weight");
  check("pyslowfast", "s3.pathway0_nonlocal1.conv_theta.bias", "backbone.slow.stage2.nonlocal1.theta.bias");
  check("pyslowfast", "s1_fuse.conv_f2s.weight", "backbone.lateral.stem.conv.weight");
  check("pyslowfast", "s4_fuse.bn.running_var", "backbone.lateral.stage3.bn.running_var");
  check("pyslowfast", "s5.pathway1_res2.branch2.c_bn.bias", "backbone.fast.stage4.2.c.bn.bias");
  check("pyslowfast", "s2.pathway0_res0.branch1.weight", "backbone.slow.stage1.0.shortcut.conv.weight");
  check("pyslowfast", "head.projection.bias", "head.fc.bias");
  check("mmaction2", "backbone.slow_path.conv1.conv.weight", "backbone.slow.stem.conv.weight");
  check("mmaction2", "backbone.slow_path.layer2_lateral.conv.weight", "backbone.lateral.stage2.conv.weight");
  check("mmaction2", "backbone.fast_path.layer3.5.conv2.bn.weight", "backbone.fast.stage3.5.b.bn.weight");
  check("mmaction2", "cls_head.fc_cls.weight", "head.fc.weight");
  check("pytorchvideo", "blocks.0.multipathway_blocks.1.norm.weight", "backbone.fast.stem.bn.weight");
  check("pytorchvideo", "blocks.3.multipathway_blocks.0.res_blocks.1.branch2.conv_b.weight",
        "backbone.slow.stage3.1.b.conv.weight");
  check("pytorchvideo", "blocks.6.proj.weight", "head.fc.weight");
  // Of one pathway.
  check("pyslowfast", "s1.pathway0_stem.conv.weight", "backbone.stem.conv.weight");
  check("mmaction2", "backbone.layer1.0.downsample.conv.weight", "backbone.stage1.0.shortcut.conv.weight");
  check("pytorchvideo", "blocks.0.conv.weight", "backbone.stem.conv.weight");
  check("marey", "backbone.slow.stem.conv.weight", "backbone.slow.stem.conv.weight");
}

TEST_CASE("weight names: the project goes by its names, prefixes are taken off") {
  CHECK(detect_weight_project(ones({"s1.pathway0_stem.conv.weight"})) == "pyslowfast");
  CHECK(detect_weight_project(ones({"backbone.slow_path.conv1.conv.weight"})) == "mmaction2");
  CHECK(detect_weight_project(ones({"a", "blocks.0.multipathway_blocks.0.conv.weight"})) == "pytorchvideo");
  CHECK(detect_weight_project(ones({"backbone.slow.stem.conv.weight", "head.fc.bias"})) == "marey");
  CHECK(detect_weight_project(ones({"conv1.weight"})).empty());

  const NamedWeights parallel =
      with_own_names(ones({"module.module.head.projection.bias", "extra"}), "pyslowfast");
  CHECK(parallel.names == std::map<std::string, std::string>{
                              {"head.fc.bias", "module.module.head.projection.bias"}, {"extra", "extra"}});
  CHECK(with_own_names(ones({"model.a", "model.b"})).weights.contains("a"));
  CHECK(with_own_names(ones({"model.a", "b"})).weights.contains("model.a"));
  CHECK_THAT(error_of([] {
               with_own_names(ones({"module.a", "a"}));
             }),
             Contains("both 'a' and 'module.a'") || Contains("both 'module.a' and 'a'"));
  CHECK_THAT(error_of([] {
               with_own_names(ones({"head.projection.w", "head.fc.w"}), "pyslowfast");
             }),
             Contains("would both be 'head.fc.w'"));
  CHECK_THAT(error_of([] { with_own_names(ones({"a"}), "pyslowfst"); }),
             Contains("did you mean 'pyslowfast'"));
  const std::string long_name(1'000'000, '1');  // must not go through a recursive regex
  CHECK_THAT(error_of([&] {
               with_own_names({{long_name, at::ones({1})}}, "pyslowfast");
             }),
             Contains("at most 1024"));
}

TEST_CASE("weights fit without the counters of norms, and those start from 0") {
  const SmallRun small;
  const auto model = small.load().experiment.model.make();
  const WeightFit fit =
      compare_weights(*model, {{"weight", at::ones({2, 3})}, {"bias", at::ones({2})}, {"x", at::ones({1})}});
  CHECK(fit.fitting == std::vector<std::string>{"bias"});
  CHECK(fit.missing == std::vector<std::string>{"seen"});
  CHECK(fit.unused == std::vector<std::string>{"x"});
  REQUIRE(fit.unlike.size() == 1);
  CHECK(fit.unlike[0].model == std::vector<std::int64_t>{3, 2});
  CHECK(fit.unlike[0].file == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("a run starts from the weights that [init] names") {
  const HeadedRun small;
  small.begin(small.file(2, "module."));
  CHECK(Peek::seen.at("backbone.weight").equal(at::full({4, 3}, 2.0f)));
  CHECK(Peek::seen.at("head.bias").equal(at::full({2}, 5.0f)));

  // Another class count: refused with the way out, or with a new head.
  CHECK_THAT(error_of([&] { small.begin(small.file(5)); }),
             Contains("head.weight (model [2, 4], file [5, 4])") && Contains("init.head = \"reinitialise\""));
  small.begin(small.file(5), {"init.head=reinitialise"});
  CHECK(Peek::seen.at("backbone.bias").equal(at::full({4}, 3.0f)));
  CHECK(Peek::seen.at("head.weight").abs().max().item<float>() <= 0.5f);
  // The random head is that of the run without [init].
  const at::Tensor head = Peek::seen.at("head.weight");
  small.begin("", {});
  CHECK(Peek::seen.at("head.weight").equal(head));
}

TEST_CASE("[init] refuses what does not fit, unless it is partial") {
  const HeadedRun small;
  const auto file = small.folder.path() / "part.safetensors";
  write_safetensors(file, {{"backbone.weight", at::full({4, 3}, 2.0)}, {"other", at::ones({1})}});
  CHECK_THAT(error_of([&] { small.begin(file); }),
             Contains("3 tensors of the model are missing") && Contains("unknown to the model: other"));
  small.begin(file, {"init.partial=true"});
  CHECK(Peek::seen.at("backbone.weight").equal(at::full({4, 3}, 2.0f)));
  write_safetensors(file, {{"other", at::ones({1})}});
  CHECK_THAT(error_of([&] { small.begin(file, {"init.partial=true"}); }), Contains("do not fit the model"));
  CHECK_THAT(error_of([&] { small.begin(small.folder.path() / "absent.pth"); }),
             Contains("cannot be opened"));
  CHECK_THAT(error_of([&] { check_run(small.load({"init.weights=" + small.file(2).string()})); }),
             Contains("do not fit the model"));
}

TEST_CASE("a resumed run has its own weights and needs no [init] file") {
  const HeadedRun small;
  const auto file = small.file(2);
  const std::vector<std::string> recipe{"~model", "+model.type=HeadedModel", "init.weights=" + file.string()};
  small.train(recipe, {.folder = small.run_folder("a"), .stop_after_steps = 3});
  std::filesystem::remove(file);
  const auto result = small.train(recipe, {.folder = small.run_folder("a"), .resume = small.newest("a")});
  CHECK(result.steps == 14);
}
