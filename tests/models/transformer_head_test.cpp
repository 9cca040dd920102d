#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/head.hpp>

#include <ATen/Functions.h>

using namespace marey;
using test::contains;
using test::message_of;

TEST_CASE("the transformer head classifies class tokens, and refuses feature maps") {
  test::Workshop workshop;
  const auto head = workshop.make<Head>("type = 'TransformerHead'\nnum_classes = 3\ndropout = 0.5");
  CHECK(contains(message_of<Error>([&] { head->forward({at::zeros({1, 6})}); }), "connect()"));
  CHECK(contains(message_of<UsageError>([&] { head->connect({6, 2}); }), "2 pathways"));
  head->connect({6});
  const at::Tensor x = at::randn({2, 6});
  CHECK_FALSE(at::equal(head->forward({x}), head->forward({x})));
  head->eval();
  const auto p = head->named_parameters();
  CHECK(at::allclose(head->forward({x}), at::linear(x, p["fc.weight"], p["fc.bias"])));
  CHECK(contains(message_of<UsageError>([&] {
                   head->forward({at::zeros({1, 6, 2, 2, 2})});
                 }),
                 "expected the class tokens [N, 6] of a transformer; got [1, 6, 2, 2, 2]"));
}
