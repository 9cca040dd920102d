#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/head.hpp>

#include <ATen/Functions.h>

using namespace marey;
using test::contains;
using test::message_of;

namespace {

std::shared_ptr<Head> head(test::Workshop& workshop, const std::string& more = {}) {
  at::manual_seed(3);
  auto out = workshop.make<Head>("type = 'SlowFastHead'\nnum_classes = 3\n" + more);
  out->connect({4, 2});
  return out;
}

std::vector<at::Tensor> features(std::int64_t size = 2) {
  at::manual_seed(4);
  return {at::randn({2, 4, 2, size, size}), at::randn({2, 2, 8, size, size})};
}

}  // namespace

TEST_CASE("the head classifies the means of its pathways") {
  test::Workshop workshop;
  const auto f = features();
  const at::Tensor slow = f[0].mean({2, 3, 4}), fast = f[1].mean({2, 3, 4});
  for (const bool fast_first : {false, true}) {
    const auto h = head(workshop, fast_first ? "concat = 'fast_slow'" : "");
    h->eval();
    CHECK(h->num_classes() == 3);
    const auto p = h->named_parameters();
    const at::Tensor x = fast_first ? at::cat({fast, slow}, 1) : at::cat({slow, fast}, 1);
    CHECK(at::allclose(h->forward(f), at::linear(x, p["fc.weight"], p["fc.bias"]), 1e-5, 1e-7));
  }
}

TEST_CASE("the head drops features in training only") {
  test::Workshop workshop;
  const auto h = head(workshop, "dropout = 0.5");
  const auto f = features();
  CHECK_FALSE(at::equal(h->forward(f), h->forward(f)));
  h->eval();
  CHECK(at::equal(h->forward(f), h->forward(f)));
}

TEST_CASE("with pool_size the head averages the probabilities of its windows") {
  test::Workshop workshop;
  const auto h = head(workshop, "pool_size = 2\ndropout = 0.0\ninit_std = 1.0");
  const auto whole = head(workshop, "dropout = 0.0\ninit_std = 1.0");
  const auto f = features(3);
  const auto window = [&](std::int64_t y, std::int64_t x) {
    std::vector<at::Tensor> part;
    for (const auto& t : f) part.push_back(t.narrow(3, y, 2).narrow(4, x, 2));
    return whole->forward(part);
  };
  at::Tensor scores, probabilities;
  for (const auto& [y, x] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
    const at::Tensor s = window(y, x) / 4, p = at::softmax(window(y, x), 1) / 4;
    scores = scores.defined() ? scores + s : s;
    probabilities = probabilities.defined() ? probabilities + p : p;
  }
  CHECK(at::allclose(h->forward(f), scores, 1e-5, 1e-6));
  h->eval();
  CHECK(at::allclose(at::softmax(h->forward(f), 1), probabilities, 1e-5, 1e-6));
  CHECK(contains(message_of<UsageError>([&] { h->forward(features(1)); }),
                 "pool_size = 2 is larger than the features (1x1)"));
}

TEST_CASE("a head refuses the features of another backbone") {
  test::Workshop workshop;
  const auto h = head(workshop);
  CHECK(contains(
      message_of<Error>([&] {
        h->forward({at::zeros({1, 5, 2, 2, 2}), at::zeros({1, 2, 8, 2, 2})});
      }),
      "expected 2 feature maps [N, C, T, H, W] with 4 and 2 channels; got [1, 5, 2, 2, 2], [1, 2, 8, 2, 2]"));
  CHECK(contains(message_of<Error>([&] {
                   h->forward({at::zeros({1, 4, 2, 2, 2})});
                 }),
                 "expected 2 feature maps"));
  const auto alone = workshop.make<Head>("type = 'SlowFastHead'\nnum_classes = 3");
  CHECK(contains(message_of<Error>([&] { alone->forward(features()); }), "connect()"));
  CHECK(contains(message_of<Error>([&] { workshop.make<Head>("type = 'SlowFastHead'"); }), "num_classes"));
}
