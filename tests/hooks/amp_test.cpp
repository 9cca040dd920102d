#include "bench_run.hpp"

#include <marey/core/error.hpp>

#include <ATen/autocast_mode.h>

#include <limits>

using namespace marey;
using test::BenchRun;
using test::inputs;

namespace {

at::Tensor overflowing() { return at::full({4, 3}, std::numeric_limits<float>::infinity()); }

std::map<std::string, at::Tensor> everything(BenchRun& b) {
  std::map<std::string, at::Tensor> out;
  for (const auto& p : b.model->named_parameters()) out[p.key()] = p.value().detach().clone();
  for (const auto& p : b.model->named_buffers()) out[p.key()] = p.value().clone();
  return out;
}

}  // namespace

TEST_CASE("autocast holds during the forward only, with the wanted type") {
  test::Plugin plugin("amp");
  for (const auto& [name, type] : {std::pair{"bfloat16", at::kBFloat16}, std::pair{"float16", at::kHalf}}) {
    const auto amp = plugin.make<Hook>("AMP", {{"dtype", name}});
    Run run;
    const auto before = at::autocast::get_autocast_dtype(at::kCPU);
    {
      const auto scope = amp->around_forward(run);
      CHECK(at::autocast::is_autocast_enabled(at::kCPU));
      CHECK(at::matmul(at::ones({2, 2}), at::ones({2, 2})).scalar_type() == type);
      const auto inner = amp->around_forward(run);
    }
    CHECK_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
    CHECK(at::autocast::get_autocast_dtype(at::kCPU) == before);
  }
  Run run;
  CHECK_FALSE(plugin.make<Hook>("AMP", {{"dtype", "off"}})->around_forward(run));
}

TEST_CASE("off and bfloat16 scale nothing and keep no state") {
  test::Plugin plugin("amp");
  for (const char* type : {"off", "bfloat16"}) {
    BenchRun b({plugin.make<Hook>("AMP", {{"dtype", type}})});
    b.epoch({inputs(1)});
    CHECK(b.run.scalars.empty());
    CHECK(b.hooks[0]->save().empty());
    const auto loss = at::ones({});
    CHECK(b.hooks[0]->map_loss(b.run, loss).is_same(loss));
  }
}

TEST_CASE("a scaled loss gives the gradients of the plain one, before anybody clips") {
  test::Plugin plugin("amp");
  BenchRun plain({plugin.make<Hook>("AMP", {{"dtype", "off"}})});
  BenchRun scaled({plugin.make<Hook>("AMP", {{"dtype", "float16"}, {"loss_scale", 1024}})});
  for (auto* b : {&plain, &scaled}) b->epoch({inputs(1), inputs(2)});
  CHECK(scaled.run.scalars.at("loss_scale") == 1024);
  CHECK((plain.model->fc->weight - scaled.model->fc->weight).abs().max().item<double>() < 2e-3);
}

TEST_CASE("an overflowed step moves nothing: weights, running statistics, step count") {
  test::Plugin amp("amp"), accumulation("accumulation");
  BenchRun b({amp.make<Hook>("AMP", {{"dtype", "float16"}, {"init_scale", 1024}}),
              accumulation.make<Hook>("GradientAccumulation", {{"steps", 2}})},
             /*with_norm=*/true);
  b.epoch({inputs(1), inputs(2)});
  const auto before = everything(b);
  CHECK(b.run.progress.step == 1);
  b.epoch({inputs(3), overflowing()});  // good, then bad, in one window
  CHECK(b.run.step_skipped);
  CHECK(b.run.progress.step == 1);
  CHECK(b.run.scalars.at("overflows") == 1);
  for (const auto& [name, tensor] : everything(b)) {
    CAPTURE(name);
    CHECK(at::equal(tensor, before.at(name)));
  }
  b.epoch({inputs(4), inputs(5)});
  CHECK_FALSE(b.run.step_skipped);
  CHECK(b.run.progress.step == 2);
  CHECK(b.run.scalars.at("loss_scale") == 512);
}

TEST_CASE("the scale halves on an overflow and doubles after growth_interval good steps; a fixed one stays") {
  test::Plugin plugin("amp");
  const auto scales = [](std::shared_ptr<Hook> amp) {
    BenchRun b({std::move(amp)});
    std::vector<double> out;
    for (const bool bad : {false, false, true, false, false, false}) {
      b.epoch({bad ? overflowing() : inputs(1)});
      out.push_back(b.run.scalars.at("loss_scale"));
    }
    return out;
  };
  CHECK(
      (scales(plugin.make<Hook>("AMP", {{"dtype", "float16"}, {"init_scale", 64}, {"growth_interval", 2}})) ==
       std::vector<double>{64, 64, 128, 64, 64, 128}));
  CHECK((scales(plugin.make<Hook>("AMP", {{"dtype", "float16"}, {"loss_scale", 64}})) ==
         std::vector<double>{64, 64, 64, 64, 64, 64}));
}

TEST_CASE("too many overflows in a row end the run as diverged") {
  test::Plugin plugin("amp");
  BenchRun b({plugin.make<Hook>("AMP", {{"dtype", "float16"}, {"max_skipped", 2}})});
  b.epoch({overflowing(), overflowing(), inputs(1), overflowing(), overflowing()});
  CHECK_THROWS_AS(b.epoch({overflowing()}), DivergenceError);
}

TEST_CASE("the scaler's state survives a resume") {
  test::Plugin plugin("amp");
  const auto make = [&] {
    return plugin.make<Hook>("AMP", {{"dtype", "float16"}, {"init_scale", 64}, {"growth_interval", 3}});
  };
  BenchRun whole({make()});
  whole.epoch({overflowing(), inputs(1), inputs(2)});
  const State saved = whole.hooks[0]->save();
  whole.epoch({inputs(3), inputs(4)});

  const auto again = make();
  again->load(State{nlohmann::json::parse(saved.values.dump()), saved.tensors});
  CHECK(again->save().values == saved.values);
  BenchRun resumed({again});
  resumed.epoch({inputs(3), inputs(4)});
  CHECK(resumed.hooks[0]->save().values == whole.hooks[0]->save().values);
  CHECK(resumed.run.scalars.at("loss_scale") == 64);  // 32, grown by the third good step
}

TEST_CASE("wrong AMP parameters are named") {
  test::Plugin plugin("amp");
  CHECK_THAT(plugin.problem<Hook>("AMP", {{"loss_scale", 8}}), Catch::Contains("float16"));
  CHECK_THAT(plugin.problem<Hook>("AMP", {{"dtype", "fp16"}}), Catch::Contains("bfloat16, float16, off"));
  CHECK_THAT(plugin.problem<Hook>("AMP", {{"backoff_factor", 1}}), Catch::Contains("between 0 and 1"));
}
