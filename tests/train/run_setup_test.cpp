#include "support/catch.hpp"
#include "train/small_run.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/train/run_folder.hpp>

#include <ATen/Context.h>

using namespace marey;
using namespace marey::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

TEST_CASE("a recipe becomes an experiment, every parameter resolved") {
  const SmallRun small;
  const auto loaded = small.load({"+hooks.save.type=Save", "+hooks.trace.type=Trace", "hooks.trace=false"});
  CHECK(loaded.experiment.name == "small");
  CHECK(loaded.experiment.seed == 7);
  CHECK(loaded.experiment.hooks.size() == 1);
  CHECK(loaded.experiment.loader.prefetch == 3);
  CHECK(*loaded.resolved.find("hooks")->find("save")->find("every")->integer() == 0);
  CHECK(*loaded.resolved.find("name")->string() == "small");
  CHECK(loaded.merged.find("name") == nullptr);
  // The resolved recipe is a recipe.
  const auto again = small.folder.write("again/small.toml", to_toml(loaded.resolved));
  CHECK(load_experiment(small.registry, again).resolved == loaded.resolved);
  CHECK_FALSE(small.load({"~schedule"}).experiment.schedule);
}

TEST_CASE("everything that is wrong with a recipe is said at once") {
  const SmallRun small;
  try {
    small.load({"optimizer.lrr=1", "train.max_epochs=0", "+hooks.x.type=Nothing", "loader.on_error=ignore",
                "+traim.a=1"});
    FAIL("accepted");
  } catch (const RecipeError& e) {
    CHECK(e.items().size() == 5);
    CHECK(e.code() == ExitCode::usage);
    CHECK_THAT(e.what(),
               Contains("did you mean 'lr'?") && Contains("did you mean 'train'?") && Contains("hooks.x"));
  }
}

TEST_CASE("what does not fit together is refused before anything runs") {
  const SmallRun small;
  const auto refusal = [&](const Strings& overrides) {
    return error_of([&] { check_run(small.load(overrides)); });
  };
  CHECK(refusal({}) == "no error");
  CHECK_THAT(refusal({"data.train.classes=5"}),
             Contains("data.train has 5 classes, the model's head predicts 2; set model.num_classes to 5"));
  CHECK_THAT(
      refusal({"+model.num_classes=3"}),
      Contains("data.train has 2 classes, the model's head predicts 3; set model.num_classes (command line"));
  CHECK_THAT(refusal({"data.val.classes=3"}), Contains("data.val has 3 classes"));
  CHECK_THAT(refusal({"~data.train"}), Contains("no [data.train]"));
  CHECK_THAT(refusal({"~optimizer"}), Contains("no [optimizer]"));
  CHECK_THAT(refusal({"+hooks.act.type=Act", "+hooks.act.what=monitor"}),
             Contains("val/top5") && Contains("val/top1"));
  CHECK_THAT(refusal({"train.device=cuda:99"}), Contains("train.device = \"cuda:99\""));
  CHECK_THAT(refusal({"train.device=gpu"}), Contains("expected auto, cpu, cuda or cuda:N"));
  CHECK_THROWS_AS(check_run(small.load({"train.device=meta"})), UsageError);
  CHECK(fs::is_empty(small.folder.path()) == false);
  CHECK_FALSE(fs::exists(small.run_folder()));
}

TEST_CASE("a data error keeps its exit code and the clip's name") {
  const SmallRun small;
  try {
    small.train({"data.train.broken=4"});
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::data);
    CHECK_THAT(e.what(), Contains("clip 4: is damaged"));
  }
}

TEST_CASE("a run leaves a folder that describes it") {
  const SmallRun small;
  const fs::path runs = small.folder.path() / "runs";
  const fs::path folder = new_run_folder(runs, "small");
  small.train({"+hooks.save.type=Save"}, {.folder = folder});
  const auto loaded = load_experiment(small.registry, folder / "recipe.toml");
  CHECK(loaded.experiment.train.max_epochs == 2);
  const auto env = nlohmann::json::parse(read_file(folder / "env.json"));
  CHECK(env.at("command").size() >= 1);
  CHECK(env.at("machine").at("device") == "cpu");
  CHECK(fs::canonical(runs / "small" / "latest") == fs::canonical(folder));
  CHECK(fs::exists(folder / "train.log"));
  CHECK(list_checkpoints(folder / "checkpoints").size() == 2);

  const fs::path second = new_run_folder(runs, "small");
  CHECK(second != folder);
  small.train({}, {.folder = second});
  CHECK(fs::canonical(runs / "small" / "latest") == fs::canonical(second));

  SECTION("auto resumes the newest run that has a checkpoint") {
    const auto point = find_resume_point("auto", runs / "small");
    REQUIRE(point);
    CHECK(point->folder == folder);
    CHECK(point->checkpoint.filename() == "step_000000014");
    CHECK_FALSE(find_resume_point("auto", runs / "other"));
  }
  SECTION("a path is a run, its checkpoints or one of them") {
    const auto real = fs::canonical(folder);
    for (const auto& path : {folder, folder / "checkpoints", folder / "checkpoints" / "step_000000014"})
      CHECK(find_resume_point(path.string(), {})->folder == real);
    CHECK(
        find_resume_point((folder / "checkpoints" / "step_000000007").string(), {})->checkpoint.filename() ==
        "step_000000007");
    CHECK_THROWS_AS(find_resume_point(second.string(), {}), CheckpointError);
    CHECK_THROWS_AS(find_resume_point((runs / "missing").string(), {}), CheckpointError);
  }
  SECTION("a folder with checkpoints is not overwritten by another run") {
    CHECK_THAT(error_of([&] { small.train({}, {.folder = folder}); }), Contains("--resume"));
  }
  SECTION("a folder in use is refused") {
    const RunFolder held(second, false);
    CHECK_THROWS_AS(small.train({}, {.folder = second}), UsageError);
    CHECK_THAT(error_of([&] { small.train({}, {.folder = second}); }), Contains("in use by another run"));
  }
}

TEST_CASE("the seed decides the numbers of a run") {
  const SmallRun small;
  const auto weights = [&](const std::string& name, const std::string& seed) {
    small.train({"+hooks.save.type=Save", "seed=" + seed}, {.folder = small.run_folder(name)});
    return read_checkpoint(small.newest(name)).model.at("weight");
  };
  const auto a = weights("a", "1");
  CHECK(a.equal(weights("b", "1")));
  CHECK_FALSE(a.equal(weights("c", "2")));
}

TEST_CASE("weights are loaded by name and shape, or refused with a report") {
  const SmallRun small;
  const auto model = small.load().experiment.model.make();
  const TensorMap good{
      {"weight", at::ones({3, 2})}, {"bias", at::ones({2})}, {"seen", at::full({}, 5, at::kLong)}};
  load_weights(*model, good);
  CHECK(model->named_parameters()["weight"].equal(at::ones({3, 2})));
  CHECK(model->named_buffers()["seen"].item<std::int64_t>() == 5);
  auto other = good;
  other.erase("bias");
  other["extra"] = at::ones({1});
  CHECK_THAT(error_of([&] { load_weights(*model, other); }),
             Contains("1 tensors of the model are missing: bias") &&
                 Contains("1 tensors are unknown to the model: extra"));
  load_weights(*model, other, true);
  other["weight"] = at::ones({2, 2});
  CHECK_THAT(error_of([&] { load_weights(*model, other, true); }),
             Contains("weight (model [3, 2], file [2, 2])"));
  CHECK_THROWS_AS(load_weights(*model, {{"a", at::ones({1})}}, true), CheckpointError);
}
