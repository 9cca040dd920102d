#include "support/catch.hpp"
#include "train/small_run.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>

using namespace marey;
using namespace marey::test;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

TEST_CASE("the points of a run come in the documented order, hooks by role") {
  const SmallRun small;
  // The key 'a' comes first by name, the role of 'z' first by rank.
  small.train({"train.max_epochs=1", "loader.batch_size=10", "loader.test_batch_size=11",
               "+hooks.a.type=Recorder", "+hooks.a.name=a", "+hooks.a.role=log", "+hooks.z.type=Recorder",
               "+hooks.z.name=z", "+hooks.z.role=scale"});
  const auto both = [](const std::string& point) { return Strings{"z." + point, "a." + point}; };
  Strings expected;
  const auto expect = [&](const Strings& more) { expected.insert(expected.end(), more.begin(), more.end()); };
  for (const char* point : {"prepare", "run_begin", "epoch_begin"}) expect(both(point));
  for (int i = 0; i < 2; ++i) {
    for (const char* point : {"micro_begin", "step_due", "forward"}) expect(both(point));
    expect({"a.forward_left", "z.forward_left"});
    for (const char* point :
         {"map_loss", "micro_end", "gradients_ready 2", "allow_step", "step_end", "checkpoint_due"})
      expect(both(point));
  }
  for (const char* point : {"epoch_end", "eval_begin", "eval_forward"}) expect(both(point));
  expect({"a.forward_left", "z.forward_left"});
  for (const char* point : {"eval_end", "checkpoint_due", "run_end"}) expect(both(point));
  CHECK(take_events() == expected);
}

TEST_CASE("seven micro-batches with a window of four make two steps, the second averaged over three") {
  const SmallRun small;
  const auto result = small.train({"train.max_epochs=1", "model.dropout=0",
                                   "+hooks.accumulate.type=Accumulate", "+hooks.save.type=Save"});
  CHECK(result.steps == 2);
  const auto state = read_checkpoint(small.newest());
  CHECK(state.state.at("steps_per_epoch") == 2);
  CHECK(state.model.at("seen").item<std::int64_t>() == 7);

  SECTION("a hook that forgets the last window does not carry it into the next epoch") {
    CHECK(small
              .train({"train.max_epochs=3", "+hooks.accumulate.type=Accumulate"},
                     {.folder = small.run_folder("b")})
              .steps == 6);
  }
  SECTION("one window over the whole epoch equals one step on its mean gradient") {
    // With batches of equal size the mean of the means is the mean.
    const auto train = [&](const char* name, const Strings& more) {
      Strings all{"train.max_epochs=1", "model.dropout=0", "+hooks.save.type=Save", "data.train.samples=16"};
      all.insert(all.end(), more.begin(), more.end());
      small.train(all, {.folder = small.run_folder(name)});
      return read_checkpoint(small.newest(name)).model;
    };
    const auto one = train("one", {"loader.batch_size=16"});
    const auto four = train("four", {"loader.batch_size=4", "+hooks.accumulate.type=Accumulate"});
    CHECK(at::allclose(one.at("weight"), four.at("weight"), 1e-5, 1e-6));
  }
}

TEST_CASE("a vetoed step moves neither weights nor optimizer nor schedule") {
  const SmallRun small;
  const auto result = small.train({"train.max_epochs=1", "+hooks.act.type=Act", "+hooks.act.what=veto",
                                   "+hooks.act.step=3", "+hooks.t.type=Trace"});
  CHECK(result.steps == 6);
  const auto all = take_events();
  CHECK(std::ranges::count(all, "skipped true true true") == 1);
  // The learning rate of the micro-step after the veto is that of the vetoed one.
  Strings rates;
  for (const auto& e : all)
    if (e.find("/") != std::string::npos) {
      std::vector<std::string> words;
      for (std::size_t at = 0, next; at < e.size(); at = next + 1)
        words.push_back(e.substr(at, (next = std::min(e.find(' ', at), e.size())) - at));
      rates.push_back(words[words.size() - 2]);
    }
  REQUIRE(rates.size() == 7);
  CHECK(rates[2] == rates[3]);
  CHECK(rates[1] != rates[2]);
  CHECK(rates[3] != rates[4]);
}

TEST_CASE("a loss that is not finite ends the run before the weights are touched") {
  const SmallRun small;
  const std::string text = error_of([&] {
    try {
      small.train(
          {"model.nan_at=3", "+hooks.r.type=Recorder", "+hooks.save.type=Save", "hooks.save.every=1"});
    } catch (const DivergenceError& e) {
      CHECK(e.code() == ExitCode::divergence);
      throw;
    }
  });
  CHECK_THAT(text, Contains("the loss is nan at step 4 of epoch 1, with lr = "));
  CHECK_THAT(text, Contains("clip ") && Contains("lower optimizer.lr"));
  CHECK(take_events().back() == ".run_failed");
  const auto saved = read_checkpoint(small.newest());
  CHECK(saved.step() == 3);
  CHECK(saved.model.at("weight").isfinite().all().item<bool>());
}

TEST_CASE("a hook that scales the loss may take care of an overflow itself") {
  const SmallRun small;
  const auto result = small.train({"train.max_epochs=1", "model.nan_at=3", "+hooks.act.type=Act",
                                   "+hooks.act.what=overflow", "+hooks.act.step=4", "+hooks.save.type=Save"});
  CHECK(result.steps == 6);
  CHECK(read_checkpoint(small.newest()).model.at("weight").isfinite().all().item<bool>());
}

TEST_CASE("a hook can end the run, and what it throws comes out with its name") {
  const SmallRun small;
  const auto result = small.train(
      {"+hooks.act.type=Act", "+hooks.act.what=stop", "+hooks.act.step=3", "+hooks.save.type=Save"});
  CHECK(result.code == ExitCode::ok);
  CHECK(result.steps == 3);
  CHECK(result.stop_reason == "enough");
  const auto fails = [&](const std::string& what) {
    return error_of([&] {
      small.train({"+hooks.act.type=Act", "+hooks.act.what=\"" + what + "\""},
                  {.folder = small.run_folder(what)});
    });
  };
  CHECK_THAT(fails("throw"), Contains("hooks.act (Act): out of luck"));
  CHECK_THAT(fails("save too early"), Contains("between optimizer steps only"));
}

TEST_CASE("evaluation counts each sample once, the smaller last batch too") {
  const SmallRun small;
  const auto result = small.train({});
  CHECK(result.metrics.at("val/count") == 11);
  CHECK(result.metrics.at("val/distinct") == 11);
  CHECK(result.metrics.at("val/views") == 1);
  CHECK(result.metrics.at("val/top1") > 0.9);
  CHECK(result.best.at("val/top1") >= result.metrics.at("val/top1"));

  SECTION("a bad file is left out") {
    const auto skipped =
        small.train({"data.val.broken=2", "loader.on_error=skip", "loader.max_bad_fraction=0.5"},
                    {.folder = small.run_folder("b")});
    CHECK(skipped.metrics.at("val/count") == 10);
    CHECK_THAT(read_file(small.run_folder("b") / "bad_samples.jsonl"), Contains("clip 2"));
  }
  SECTION("outside a run") {
    const auto loaded = small.load();
    const auto model = loaded.experiment.model.make();
    const auto data = loaded.experiment.data.val.make();
    model->train();
    const auto metrics = run_evaluation(*model, *data, loaded.experiment, c10::Device(c10::kCPU), "");
    CHECK(metrics.at("count") == 11);
    CHECK(metrics.contains("top1"));
    CHECK(model->is_training());
  }
  SECTION("at intervals and at the end") {
    take_events();
    small.train({"train.max_epochs=5", "train.eval_interval=2", "+hooks.act.type=Act"},
                {.folder = small.run_folder("c")});
    CHECK(std::ranges::count(take_events(), "evaluated true") == 3);
    CHECK(small.train({"train.eval_interval=0"}, {.folder = small.run_folder("d")}).metrics.empty());
  }
}
