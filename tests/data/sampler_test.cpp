#include "support/catch.hpp"

#include <marey/data/sampler.hpp>

#include <algorithm>
#include <map>
#include <numeric>

using marey::data::Sampler;

TEST_CASE("an epoch's order is a permutation") {
  for (const std::size_t size : {0u, 1u, 2u, 1000u}) {
    auto order = Sampler(size, 3, true).order(5);
    REQUIRE(order.size() == size);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < size; ++i) REQUIRE(order[i] == i);
  }
}

TEST_CASE("the order is a function of seed and epoch") {
  CHECK(Sampler(100, 7, true).order(2) == Sampler(100, 7, true).order(2));
  CHECK(Sampler(100, 7, true).order(2) != Sampler(100, 7, true).order(3));
  CHECK(Sampler(100, 7, true).order(2) != Sampler(100, 8, true).order(2));
  const auto plain = Sampler(100, 7, false).order(2);
  CHECK(std::ranges::is_sorted(plain));
}

TEST_CASE("every order is equally likely") {
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t epoch = 0; epoch < 6000; ++epoch) ++seen[Sampler(3, 1, true).order(epoch)];
  REQUIRE(seen.size() == 6);
  for (const auto& [order, count] : seen) CHECK(std::abs(count - 1000) < 150);  // five deviations
}
