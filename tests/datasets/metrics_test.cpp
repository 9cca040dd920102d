#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/plugin_component.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/train/metric.hpp>

#include <ATen/ops/from_blob.h>

#include <cmath>
#include <limits>

using namespace marey;
using test::contains;
using test::message_of;
using test::Plugin;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

data::Batch batch_of(std::vector<std::int64_t> labels) {
  data::Batch batch;
  const auto size = static_cast<std::int64_t>(labels.size());
  batch.labels = at::from_blob(labels.data(), {size}, at::kLong).clone();
  for (std::int64_t i = 0; i < size; ++i) batch.sources.push_back("clip_" + std::to_string(i) + ".mp4");
  return batch;
}

at::Tensor scores_of(std::vector<float> values, std::int64_t classes) {
  return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size()) / classes, classes},
                       at::kFloat)
      .clone();
}

using Result = std::map<std::string, double>;

}  // namespace

TEST_CASE("TopK counts over batches and starts anew") {
  Plugin plugin("metrics");
  const auto top = plugin.make<Metric>("TopK", {{"k", Value::Array{1, 2}}});
  CHECK(top->keys() == std::vector<std::string>({"top1", "top2", "count"}));
  top->update(scores_of({.1f, .7f, .2f, .5f, .1f, .4f}, 3), batch_of({1, 2}));
  top->update(scores_of({.1f, .7f, .2f}, 3), batch_of({0}));
  CHECK(top->compute() == Result{{"top1", 1. / 3}, {"top2", 2. / 3}, {"count", 3}});
  top->reset();
  top->update(scores_of({.1f, .7f, .2f}, 3), batch_of({1}));
  CHECK(top->compute() == Result{{"top1", 1}, {"top2", 1}, {"count", 1}});
}

TEST_CASE("TopK: equal scores stand in the order of their classes") {
  Plugin plugin("metrics");
  const auto top = plugin.make<Metric>("TopK", {{"k", Value::Array{1, 2}}});
  top->update(scores_of({1, 1, 1, 1, 1, 1, 1, 1, 1}, 3), batch_of({0, 1, 2}));
  CHECK(top->compute() == Result{{"top1", 1. / 3}, {"top2", 2. / 3}, {"count", 3}});
}

TEST_CASE("TopK: NaN is wrong under every k and reported") {
  Plugin plugin("metrics");
  const auto top = plugin.make<Metric>("TopK");
  top->update(scores_of({1, not_a_number, 0, 1, 0, 0}, 3), batch_of({0, 0}));
  std::string said;
  log::set_level(log::Level::error);
  {
    log::Sink sink([&](log::Level, std::string_view line) { said += line; });
    CHECK(top->compute() ==
          Result{{"top1", 0.5}, {"top5", 0.5}, {"count", 2}});  // 5 of 3 classes: all but NaN
  }
  log::set_level(log::Level::info);
  CHECK(contains(said, "1 of 2 predictions hold NaN"));
  const float infinity = std::numeric_limits<float>::infinity();
  top->reset();
  top->update(scores_of({-infinity, infinity}, 2), batch_of({1}));
  CHECK(top->compute().at("top1") == 1);
}

TEST_CASE("TopK: unlabelled samples do not count, labels beyond the scores are an error") {
  Plugin plugin("metrics");
  const auto top = plugin.make<Metric>("TopK");
  top->update(scores_of({1, 0, 1, 0}, 2), batch_of({-1, 0}));
  CHECK(top->compute().at("count") == 1);
  CHECK(contains(message_of<DataError>([&] {
                   top->update(scores_of({1, 0}, 2), batch_of({2}));
                 }),
                 "clip_0.mp4: label 2 is out of range: the model scores 2 classes"));
  CHECK_THROWS_AS(top->update(scores_of({1, 0}, 2), batch_of({0, 1})), Error);
  top->reset();
  CHECK_THROWS_AS(top->compute(), DataError);
  CHECK(contains(plugin.problem<Metric>("TopK", {{"k", Value::Array{1, 1}}}), "twice"));
  CHECK(contains(plugin.problem<Metric>("TopK", {{"k", Value::Array{}}}), "k is empty"));
  CHECK(contains(plugin.problem<Metric>("TopK", {{"k", Value::Array{0}}}), "k"));
}

TEST_CASE("TopK takes the scores of half precision") {
  Plugin plugin("metrics");
  const auto top = plugin.make<Metric>("TopK");
  top->update(scores_of({1, 0}, 2).to(at::kBFloat16), batch_of({0}));
  CHECK(top->compute().at("top1") == 1);
}

TEST_CASE("MeanClassAccuracy weighs classes alike and leaves empty ones out") {
  Plugin plugin("metrics");
  const auto accuracy = plugin.make<Metric>("MeanClassAccuracy");
  CHECK(accuracy->keys() == std::vector<std::string>{"mean_class_accuracy"});
  // Class 0: two of three right; class 2: none of one; class 1 has no sample.
  accuracy->update(scores_of({1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0}, 3), batch_of({0, 0, 0, 2}));
  CHECK(accuracy->compute().at("mean_class_accuracy") == Approx(1. / 3));
  accuracy->update(scores_of({not_a_number, 0, 5}, 3), batch_of({2}));
  CHECK(accuracy->compute().at("mean_class_accuracy") == Approx(1. / 3));
  accuracy->reset();
  CHECK_THROWS_AS(accuracy->compute(), DataError);
}
