#include "support/catch.hpp"

#include <marey/core/random.hpp>

#include <array>
#include <cmath>

using marey::philox4x32;
using marey::Random;
using Block = std::array<std::uint32_t, 4>;

TEST_CASE("Philox gives the published numbers") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a sequence depends on its key alone, and each part of the key matters") {
  Random a(1, 2, 3, 4), same(1, 2, 3, 4);
  for (int i = 0; i < 9; ++i) CHECK(a.bits() == same.bits());
  const auto first = [](Random r) { return r.bits(); };
  const auto base = first(Random(1, 2, 3, 4));
  CHECK(first(Random(9, 2, 3, 4)) != base);
  CHECK(first(Random(1, 9, 3, 4)) != base);
  CHECK(first(Random(1, 2, 9, 4)) != base);
  CHECK(first(Random(1, 2, 3, 9)) != base);
}

TEST_CASE("draws stay in their range and are spread over it") {
  Random r(7, 0, 0);
  std::array<int, 3> counts{};
  double sum = 0, square = 0;
  constexpr int n = 30000;
  for (int i = 0; i < n; ++i) {
    const auto k = r.integer(-1, 1);
    REQUIRE((k >= -1 && k <= 1));
    ++counts[static_cast<std::size_t>(k + 1)];
    const double u = r.uniform(2, 3);
    REQUIRE((u >= 2 && u < 3));
    const double g = r.normal();
    sum += g, square += g * g;
  }
  for (const int c : counts) CHECK(std::abs(c - n / 3) < 400);
  CHECK(std::abs(sum / n) < 0.03);
  CHECK(std::abs(square / n - 1) < 0.05);
  CHECK(r.integer(5, 5) == 5);
}
