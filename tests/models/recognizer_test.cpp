#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/model.hpp>

#include <ATen/Functions.h>
#include <ATen/autocast_mode.h>

using namespace marey;
using test::contains;
using test::message_of;

namespace {

std::shared_ptr<Model> recognizer(test::Workshop& workshop, const std::string& more = {}) {
  at::manual_seed(11);
  std::string backbone = "[backbone]\n" + test::small_slowfast;
  return workshop.make<Model>("type = 'Recognizer'\n" + more + "\n" + backbone +
                              "[head]\ntype = 'SlowFastHead'\nnum_classes = 4\ndropout = 0.0\ninit_std = "
                              "0.3\n[loss]\ntype = 'CrossEntropy'\n");
}

data::Batch batch(std::int64_t videos, std::int64_t views = 1) {
  at::manual_seed(12);
  data::Batch out;
  out.pixels = at::randint(0, 256, {videos, views, 8, 32, 32, 3}, at::kByte).permute({0, 1, 5, 2, 3, 4});
  out.labels = at::arange(videos, at::kLong).remainder(4);
  return out;
}

class Autocast {
 public:
  Autocast() {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  }
  ~Autocast() {
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
  }
};

}  // namespace

TEST_CASE("a recognizer's training step gives a loss with a graph, and what the log shows") {
  test::Workshop workshop;
  const auto model = recognizer(workshop);
  CHECK(model->num_classes() == 4);
  CHECK(contains(model->refuses(6, 32, 32), "multiple of 4"));
  const auto b = batch(3);
  const TrainOutput out = model->train_step(b);
  CHECK(out.loss.dim() == 0);
  CHECK(out.loss.requires_grad());
  CHECK(out.scores.sizes() == at::IntArrayRef({3, 4}));
  CHECK_FALSE(out.scores.requires_grad());
  CHECK(out.loss.item<float>() == Approx(at::cross_entropy_loss(out.scores, b.labels).item<float>()));
  REQUIRE(out.terms.size() == 1);
  CHECK(out.terms[0].first == "top1");
  CHECK(out.terms[0].second.item<float>() ==
        Approx(out.scores.argmax(1).eq(b.labels).to(at::kFloat).mean().item<float>()));
  out.loss.backward();
  for (const auto& p : model->named_parameters()) {
    INFO(p.key());
    CHECK(p.value().grad().defined());
  }
  CHECK(model->named_parameters().contains("backbone.lateral.stem.conv.weight"));
  CHECK(model->named_parameters().contains("head.fc.bias"));
}

TEST_CASE("predictions are probabilities, the same each time, and ordinary tensors") {
  test::Workshop workshop;
  const auto model = recognizer(workshop);
  model->eval();
  const auto b = batch(3, 2);
  at::Tensor p = model->predict(b);
  CHECK(p.sizes() == at::IntArrayRef({3, 4}));
  CHECK(at::allclose(p.sum(1), at::ones({3})));
  CHECK(at::equal(p, model->predict(b)));
  CHECK_FALSE(p.is_inference());
  CHECK(p.scalar_type() == at::kFloat);
}

TEST_CASE("the views of a video are merged, in any order and chunk") {
  test::Workshop workshop;
  const auto b = batch(2, 3);
  const auto one_view = [&](Model& model, std::int64_t v) {
    data::Batch part = b;
    part.pixels = b.pixels.narrow(1, v, 1);
    return model.predict(part);
  };
  const auto model = recognizer(workshop);
  model->eval();
  const at::Tensor mean = (one_view(*model, 0) + one_view(*model, 1) + one_view(*model, 2)) / 3;
  CHECK(at::allclose(model->predict(b), mean, 1e-5, 1e-6));
  for (const char* chunk : {"1", "2", "4", "100"}) {
    const auto other = recognizer(workshop, std::string("clips_at_once = ") + chunk);
    other->eval();
    CHECK(at::allclose(other->predict(b), mean, 1e-5, 1e-6));
  }
  data::Batch reversed = b;
  reversed.pixels = b.pixels.flip({1});
  CHECK(at::allclose(model->predict(reversed), mean, 1e-5, 1e-6));

  const auto by_score = recognizer(workshop, "merge = 'score'");
  by_score->eval();
  const at::Tensor logs =
      (one_view(*model, 0).log() + one_view(*model, 1).log() + one_view(*model, 2).log()) / 3;
  CHECK(at::allclose(by_score->predict(b), at::softmax(logs, 1), 1e-4, 1e-5));
}

TEST_CASE("several views in training: each counts, the scores are their mean") {
  test::Workshop workshop;
  const auto model = recognizer(workshop);
  const TrainOutput out = model->train_step(batch(2, 3));
  CHECK(out.scores.sizes() == at::IntArrayRef({2, 4}));
  CHECK(std::isfinite(out.loss.item<float>()));
}

TEST_CASE("bfloat16 autocast keeps losses, scores and gradients finite and in float") {
  test::Workshop workshop;
  const auto model = recognizer(workshop);
  const auto b = batch(2);
  const float exact = model->train_step(b).loss.item<float>();
  TrainOutput out;
  {
    const Autocast autocast;
    out = model->train_step(b);
  }
  CHECK(out.loss.scalar_type() == at::kFloat);
  CHECK(out.scores.scalar_type() == at::kFloat);
  CHECK(out.loss.item<float>() == Approx(exact).epsilon(0.05));
  out.loss.backward();
  for (const auto& p : model->parameters()) {
    CHECK(p.grad().scalar_type() == at::kFloat);
    CHECK(p.grad().isfinite().all().item<bool>());
  }
  const Autocast autocast;
  model->eval();
  CHECK(model->predict(b).isfinite().all().item<bool>());
}

TEST_CASE("a recognizer learns eight clips by heart") {
  test::Workshop workshop;
  const auto model = recognizer(workshop);
  const auto b = batch(8);
  const float before = model->train_step(b).loss.item<float>();
  float after = before;
  for (int step = 0; step < 20; ++step) {
    model->zero_grad();
    const at::Tensor loss = model->train_step(b).loss;
    loss.backward();
    after = loss.item<float>();
    const at::NoGradGuard no_grad;
    for (const auto& p : model->parameters()) p.sub_(p.grad(), 0.1);
  }
  INFO(before << " to " << after);
  CHECK(after < before / 4);
}

TEST_CASE("a recognizer needs its parts, and clips") {
  test::Workshop workshop;
  const std::string problem = message_of<Error>([&] { workshop.make<Model>("type = 'Recognizer'"); });
  for (const char* part : {"backbone", "head", "loss"}) CHECK(contains(problem, part));
  const auto model = recognizer(workshop);
  CHECK(contains(message_of<DataError>([&] { model->train_step({}); }), "empty"));
  CHECK(contains(message_of<DataError>([&] { model->predict({}); }), "empty"));
}
