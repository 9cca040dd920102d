#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/loss.hpp>

#include <ATen/Functions.h>

#include <cmath>

using namespace marey;
using test::contains;
using test::message_of;

namespace {

std::shared_ptr<Loss> loss(test::Workshop& workshop, const std::string& more = {}) {
  return workshop.make<Loss>("type = 'CrossEntropy'\n" + more);
}

at::Tensor labels(std::vector<std::int64_t> values) { return at::tensor(values, at::kLong); }

// Scores whose probabilities are these.
at::Tensor scores(std::vector<double> p) {
  const auto rows = static_cast<std::int64_t>(p.size() / 2);
  return at::tensor(p).log().to(at::kFloat).view({rows, 2});
}

double value(const Loss& l, const at::Tensor& s, const at::Tensor& t) {
  return l.forward(s, t).item<double>();
}

}  // namespace

TEST_CASE("cross-entropy is the mean over the labelled clips") {
  test::Workshop workshop;
  const auto l = loss(workshop);
  const at::Tensor s = scores({0.5, 0.5, 0.2, 0.8, 0.9, 0.1});
  CHECK(value(*l, s, labels({0, 1, 0})) == Approx(-(std::log(0.5) + std::log(0.8) + std::log(0.9)) / 3));
  CHECK(value(*l, s, labels({0, -1, 0})) == Approx(-(std::log(0.5) + std::log(0.9)) / 2));
}

TEST_CASE("class weights: the mean divides by the weights of the labels") {
  test::Workshop workshop;
  const auto l = loss(workshop, "class_weights = [1.0, 3.0]");
  CHECK(value(*l, scores({0.5, 0.5, 0.2, 0.8}), labels({0, 1})) ==
        Approx(-(std::log(0.5) + 3 * std::log(0.8)) / 4));
  CHECK(contains(message_of<UsageError>([&] {
                   l->forward(at::zeros({1, 5}), labels({0}));
                 }),
                 "class_weights has 2 entries, the model has 5 classes"));
}

TEST_CASE("label smoothing spreads a share of the label over all classes") {
  test::Workshop workshop;
  const auto l = loss(workshop, "label_smoothing = 0.2");
  CHECK(value(*l, scores({0.7, 0.3}), labels({0})) == Approx(-(0.9 * std::log(0.7) + 0.1 * std::log(0.3))));
}

TEST_CASE("a hard label and its one-hot row give the same loss") {
  test::Workshop workshop;
  at::manual_seed(1);
  const at::Tensor s = at::randn({6, 4});
  const at::Tensor hard = labels({0, 3, 1, 2, 2, 1});
  for (const char* more : {"", "label_smoothing = 0.1", "class_weights = [1.0, 2.0, 0.5, 4.0]",
                           "class_weights = [1.0, 2.0, 0.5, 4.0]\nlabel_smoothing = 0.3"}) {
    INFO(more);
    const auto l = loss(workshop, more);
    CHECK(value(*l, s, at::one_hot(hard, 4).to(at::kFloat)) == Approx(value(*l, s, hard)));
  }
}

TEST_CASE("soft labels may mix classes") {
  test::Workshop workshop;
  const auto l = loss(workshop);
  CHECK(value(*l, scores({0.7, 0.3}), at::tensor({0.25, 0.75}).to(at::kFloat).view({1, 2})) ==
        Approx(-(0.25 * std::log(0.7) + 0.75 * std::log(0.3))));
  CHECK(contains(message_of<Error>([&] {
                   l->forward(at::zeros({2, 3}), at::zeros({2, 4}));
                 }),
                 "expected soft labels [2, 3]"));
}

TEST_CASE("half-precision scores are compared in float") {
  test::Workshop workshop;
  const auto l = loss(workshop)->forward(at::ones({1, 1000}, at::kBFloat16), labels({0}));
  CHECK(l.scalar_type() == at::kFloat);
  CHECK(l.item<double>() == Approx(std::log(1000.0)));
}

TEST_CASE("labels that cannot be are data errors") {
  test::Workshop workshop;
  const auto l = loss(workshop);
  const auto problem = [&](std::vector<std::int64_t> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    return message_of<DataError>([&] { l->forward(at::zeros({n, 3}), labels(values)); });
  };
  CHECK(contains(problem({-1, -1}), "no clip of the batch has a label"));
  CHECK(contains(problem({0, 3}), "between 0 and 2 (-1: missing); got 3"));
  CHECK(contains(problem({0, -2}), "got -2"));
  CHECK(contains(problem({}), "empty"));
  CHECK(contains(message_of<Error>([&] {
                   l->forward(at::zeros({2, 3}), labels({0}));
                 }),
                 "expected 2 labels"));
}
