#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/loss.hpp>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

using namespace marey;
using test::contains;
using test::message_of;

TEST_CASE("focal loss is its formula, and lessens what is classified well") {
  test::Workshop workshop;
  at::manual_seed(4);
  const at::Tensor scores = at::randn({5, 3}, at::kDouble) * 3,
                   targets = at::randint(0, 2, {5, 3}).to(at::kDouble);
  const auto focal = workshop.make<Loss>("type = 'Focal'\nalpha = 3.0\ngamma = 1.5");
  const at::Tensor p = at::sigmoid(scores), right = targets * p + (1 - targets) * (1 - p);
  const at::Tensor expected = (3.0 * (1 - right).pow(1.5) * -right.log()).mean();
  CHECK(at::allclose(focal->forward(scores, targets), expected));

  const at::Tensor labels = at::tensor({0, 2, 1, 1, 0}, at::kLong);
  const auto one_class = workshop.make<Loss>("type = 'Focal'\nactivation = 'softmax'");
  const at::Tensor hit = at::softmax(scores, 1).gather(1, labels.unsqueeze(1));
  CHECK(at::allclose(one_class->forward(scores, labels), (0.25 * (1 - hit).pow(2) * -hit.log()).mean()));

  for (const char* gamma : {"0.5", "1.0", "2.0"}) {
    const auto loss = workshop.make<Loss>(std::string("type = 'Focal'\ngamma = ") + gamma);
    const at::Tensor sure = at::full({1, 1}, 80.0).requires_grad_();  // nothing left to lose
    loss->forward(sure, at::ones({1, 1})).backward();
    CHECK(std::isfinite(sure.grad().item<float>()));
  }
}

TEST_CASE("binary losses take hard labels too, and leave unlabelled clips out") {
  test::Workshop workshop;
  const at::Tensor scores = at::randn({4, 3});
  const at::Tensor labels = at::tensor({2, -1, 0, -1}, at::kLong);
  const at::Tensor rows = at::one_hot(at::tensor({2, 0}, at::kLong), 3).to(at::kFloat);
  for (const char* type : {"BCE", "BCEWithLogits", "Focal"}) {
    const auto loss = workshop.make<Loss>(std::string("type = '") + type + "'\nlabel_smoothing = 0.1");
    CHECK(at::allclose(loss->forward(scores, labels),
                       loss->forward(scores.index_select(0, at::tensor({0, 2}, at::kLong)), rows)));
    CHECK(contains(message_of<DataError>([&] { loss->forward(scores, at::full({4}, -1, at::kLong)); }),
                   "no clip of the batch has a label"));
    CHECK(contains(message_of<DataError>([&] {
                     loss->forward(scores, at::tensor({0, 1, 2, 3}, at::kLong));
                   }),
                   "labels must lie between 0 and 2"));
    CHECK(contains(message_of<Error>([&] {
                     loss->forward(scores, at::zeros({4, 2}));
                   }),
                   "expected labels [4, 3] like the scores; got [4, 2]"));
    const auto weighted =
        workshop.make<Loss>(std::string("type = '") + type + "'\nclass_weights = [1.0, 2.0]");
    CHECK(contains(message_of<UsageError>([&] { weighted->forward(scores, labels); }),
                   "class_weights has 2 entries, the model has 3 classes"));
  }
}

TEST_CASE("binary losses stay finite for large scores and in bfloat16") {
  test::Workshop workshop;
  const at::Tensor scores = at::tensor({1000.f, -1000.f, -1000.f, 1000.f}).view({2, 2});
  const at::Tensor wrong = at::tensor({0.f, 1.f, 1.f, 0.f}).view({2, 2});
  CHECK(workshop.make<Loss>("type = 'BCEWithLogits'")->forward(scores, wrong).item<float>() == Approx(1000));
  CHECK(workshop.make<Loss>("type = 'BCE'")->forward(scores, wrong).item<float>() == Approx(100));
  for (const char* type : {"BCE", "BCEWithLogits", "Focal"}) {
    const auto loss = workshop.make<Loss>(std::string("type = '") + type + "'");
    const at::Tensor large = scores.clone().requires_grad_();
    loss->forward(large, wrong).backward();
    CHECK(large.grad().isfinite().all().item<bool>());
    const at::Tensor half = loss->forward(scores.to(at::kBFloat16), wrong);
    CHECK(half.scalar_type() == at::kFloat);
  }
}
