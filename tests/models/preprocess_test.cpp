#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/preprocess.hpp>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

using namespace marey;

namespace {

// As the loader makes them: [N, V, C, T, H, W] over the memory of [N, V, T, H, W, C].
at::Tensor pixels(std::int64_t n, std::int64_t v, std::int64_t t, std::int64_t h, std::int64_t w) {
  at::manual_seed(2);
  return at::randint(0, 256, {n, v, t, h, w, 3}, at::kByte).permute({0, 1, 5, 2, 3, 4});
}

at::Tensor expected(const at::Tensor& p, const Normalization& n) {
  at::Tensor x = p.flatten(0, 1).to(at::kDouble);
  if (n.channels == ChannelOrder::bgr) x = x.flip({1});
  if (n.unit_range) x = x / 255;
  const auto row = [](const std::array<double, 3>& a) {
    return at::tensor(at::ArrayRef<double>(a)).view({1, 3, 1, 1, 1});
  };
  return (x - row(n.mean)) / row(n.std);
}

const Normalization imagenet{
    .mean = {123.675, 116.28, 103.53}, .std = {58.395, 57.12, 57.375}, .unit_range = false};

}  // namespace

TEST_CASE("pixels are normalised as the formula says and keep the channels-last layout") {
  const at::Tensor p = pixels(2, 3, 4, 5, 7);
  Normalization bgr = imagenet;
  bgr.channels = ChannelOrder::bgr;
  for (const Normalization& n : {Normalization{}, imagenet, bgr}) {
    const at::Tensor x = preprocess(p, n);
    CHECK(x.scalar_type() == at::kFloat);
    CHECK(x.sizes() == at::IntArrayRef({6, 3, 4, 5, 7}));
    CHECK(x.is_contiguous(at::MemoryFormat::ChannelsLast3d));
    CHECK(at::allclose(x.to(at::kDouble), expected(p, n), 1e-6, 1e-6));
  }
}

TEST_CASE("bfloat16 pixels are the rounded float ones") {
  const at::Tensor p = pixels(1, 1, 2, 6, 6);
  CHECK(at::equal(preprocess(p, {}, at::kBFloat16), preprocess(p, {}).to(at::kBFloat16)));
  CHECK(at::allclose(preprocess(p, {}, at::kDouble).to(at::kFloat), preprocess(p, {}), 1e-6, 1e-6));
}

TEST_CASE("pixels of another layout give the same numbers") {
  const at::Tensor p = pixels(2, 1, 2, 4, 4);
  CHECK(at::equal(preprocess(p.contiguous(), imagenet), preprocess(p, imagenet)));
  CHECK(at::equal(preprocess(p.narrow(4, 1, 2), imagenet), preprocess(p, imagenet).narrow(3, 1, 2)));
}

TEST_CASE("what is no batch of pixels is refused") {
  CHECK(test::contains(test::message_of<Error>([] {
                         preprocess(at::zeros({1, 3, 2, 4, 4}, at::kByte), {});
                       }),
                       "expected uint8 pixels [N, V, 3, T, H, W]; got Byte [1, 3, 2, 4, 4]"));
  CHECK(test::contains(test::message_of<Error>([] {
                         preprocess(at::zeros({1, 1, 3, 2, 4, 4}), {});
                       }),
                       "got Float"));
}
