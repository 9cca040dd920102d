#include "bench_run.hpp"

using namespace marey;
using test::BenchRun;
using test::inputs;

TEST_CASE("7 micro-batches with accumulation 4 make 2 steps, each like one large batch") {
  test::Plugin plugin("accumulation");
  std::vector<at::Tensor> batches;
  for (std::uint64_t i = 0; i < 7; ++i) batches.push_back(inputs(i));

  BenchRun small({plugin.make<Hook>("GradientAccumulation", {{"steps", 4}})});
  CHECK(small.run.accumulate == 4);
  small.epoch(batches);
  CHECK(small.optimizer->steps == 2);

  BenchRun large({});
  large.epoch({at::cat(std::vector<at::Tensor>(batches.begin(), batches.begin() + 4)),
               at::cat(std::vector<at::Tensor>(batches.begin() + 4, batches.end()))});
  CHECK(large.optimizer->steps == 2);
  CHECK((small.model->fc->weight - large.model->fc->weight).abs().max().item<double>() < 1e-6);
}

TEST_CASE("an epoch shorter than the accumulation still makes one step") {
  test::Plugin plugin("accumulation");
  BenchRun small({plugin.make<Hook>("GradientAccumulation", {{"steps", 4}})});
  small.epoch({inputs(1), inputs(2), inputs(3)});
  CHECK(small.optimizer->steps == 1);
  BenchRun large({});
  large.epoch({at::cat({inputs(1), inputs(2), inputs(3)})});
  CHECK((small.model->fc->weight - large.model->fc->weight).abs().max().item<double>() < 1e-6);
}

TEST_CASE("accumulation 1 changes nothing, 0 is refused") {
  test::Plugin plugin("accumulation");
  BenchRun with({plugin.make<Hook>("GradientAccumulation", {{"steps", 1}})}), without({});
  for (auto* b : {&with, &without}) b->epoch({inputs(1), inputs(2)});
  CHECK(at::equal(with.model->fc->weight, without.model->fc->weight));
  CHECK_THAT(plugin.problem<Hook>("GradientAccumulation", {{"steps", 0}}), Catch::Contains("at least 1"));
}
