#include "bench_run.hpp"

#include <marey/core/error.hpp>

#include <torch/nn/utils/clip_grad.h>

#include <limits>

using namespace marey;
using test::BenchRun;
using test::inputs;

namespace {

// Sets all gradients to `value` and lets the hook act.
void with_gradient(BenchRun& b, double value) {
  for (auto& p : b.model->parameters()) p.mutable_grad() = at::full_like(p, value).detach();
  b.hooks[0]->gradients_ready(b.run);
}

double norm_of(BenchRun& b) { return b.run.gradients().at(0).norm().item<double>(); }

}  // namespace

TEST_CASE("clipping by norm is PyTorch's") {
  test::Plugin plugin("grad_clip");
  for (const auto& [name, order] :
       {std::pair{"l2", 2.0}, std::pair{"inf", std::numeric_limits<double>::infinity()}}) {
    for (const double limit : {0.1, 100.0}) {
      BenchRun ours({plugin.make<Hook>("GradClip", {{"max_norm", limit}, {"norm_type", name}})},
                    /*with_norm=*/true);
      BenchRun theirs({}, true);
      for (std::size_t i = 0; i < ours.model->parameters().size(); ++i) {
        auto p = ours.model->parameters()[i];
        auto g = at::randn(p.sizes(), at::detail::createCPUGenerator(i));
        p.mutable_grad() = g.clone();
        theirs.model->parameters()[i].mutable_grad() = g;
      }
      ours.hooks[0]->gradients_ready(ours.run);
      const double norm = torch::nn::utils::clip_grad_norm_(theirs.model->parameters(), limit, order);
      CHECK(ours.run.scalars.at("grad_norm") == Approx(norm));  // before clipping
      for (std::size_t i = 0; i < ours.model->parameters().size(); ++i)
        CHECK(
            at::allclose(ours.model->parameters()[i].grad(), theirs.model->parameters()[i].grad(), 1e-6, 0));
    }
  }
}

TEST_CASE("clipping by value cuts each entry; without a limit the norm is only measured") {
  test::Plugin plugin("grad_clip");
  BenchRun cut({plugin.make<Hook>("GradClip", {{"max_value", 0.5}})});
  with_gradient(cut, -2);
  CHECK(at::equal(cut.run.gradients()[0], at::full({1, 3}, -0.5)));
  BenchRun measure({plugin.make<Hook>("GradClip")});
  with_gradient(measure, 2);
  CHECK(measure.run.scalars.at("grad_norm") == Approx(std::sqrt(12.0)));
  CHECK(norm_of(measure) == Approx(std::sqrt(12.0)));
}

TEST_CASE("the accumulated gradient is clipped after it was unscaled") {
  test::Plugin clip("grad_clip"), amp("amp");
  BenchRun b({clip.make<Hook>("GradClip", {{"max_norm", 0.01}}),
              amp.make<Hook>("AMP", {{"dtype", "float16"}, {"loss_scale", 4096}})});
  BenchRun plain({clip.make<Hook>("GradClip", {{"max_norm", 0.01}})});
  for (auto* r : {&b, &plain}) r->epoch({inputs(1)});
  CHECK(b.run.scalars.at("grad_norm") == Approx(plain.run.scalars.at("grad_norm")).epsilon(0.01));
  CHECK((b.model->fc->weight - 0.5).norm().item<double>() <= 0.1 * 0.01 * 1.001);  // lr × max_norm
}

TEST_CASE("steps with gradients that are no numbers are skipped, too many of them end the run") {
  test::Plugin plugin("grad_clip");
  const auto bad = at::full({4, 3}, std::numeric_limits<float>::quiet_NaN());
  BenchRun b({plugin.make<Hook>("GradClip", {{"max_norm", 1}, {"max_skipped", 2}})});
  b.epoch({bad, bad, inputs(1), bad, bad});
  CHECK(b.run.progress.step == 1);
  CHECK(b.model->fc->weight.isfinite().all().item<bool>());

  const auto again = plugin.make<Hook>("GradClip", {{"max_norm", 1}, {"max_skipped", 2}});
  again->load(b.hooks[0]->save());
  CHECK(again->save().values == b.hooks[0]->save().values);
  BenchRun resumed({again});
  CHECK_THROWS_AS(resumed.epoch({bad}), DivergenceError);

  BenchRun strict({plugin.make<Hook>("GradClip", {{"max_skipped", 0}})});
  CHECK_THROWS_AS(strict.epoch({bad}), DivergenceError);
}

TEST_CASE("an overflow of the loss scale is not GradClip's to judge") {
  test::Plugin clip("grad_clip"), amp("amp");
  BenchRun b(
      {clip.make<Hook>("GradClip", {{"max_skipped", 0}}), amp.make<Hook>("AMP", {{"dtype", "float16"}})});
  b.epoch({at::full({4, 3}, std::numeric_limits<float>::infinity()), inputs(1)});
  CHECK(b.run.progress.step == 1);
}

TEST_CASE("wrong GradClip parameters are named") {
  test::Plugin plugin("grad_clip");
  CHECK_THAT(plugin.problem<Hook>("GradClip", {{"max_norm", 1}, {"max_value", 1}}),
             Catch::Contains("both given"));
  CHECK_THAT(plugin.problem<Hook>("GradClip", {{"max_norm", 0}}), Catch::Contains("limit of 0"));
}
