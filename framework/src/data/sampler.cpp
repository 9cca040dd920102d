#include <marey/core/random.hpp>
#include <marey/data/sampler.hpp>

#include <numeric>
#include <utility>

namespace marey::data {

std::vector<std::size_t> Sampler::order(std::uint64_t epoch) const {
  std::vector<std::size_t> order(size_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!shuffle_) return order;
  constexpr std::uint32_t sampler_stream = 1;  // stream 0 belongs to the pipelines
  Random random(seed_, epoch, 0, sampler_stream);
  for (std::size_t i = size_; i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  return order;
}

}  // namespace marey::data
