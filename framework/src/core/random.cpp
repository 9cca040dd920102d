#include <marey/core/random.hpp>

#include <cmath>
#include <numbers>

namespace marey {
namespace {

std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ULL * c[0], b = 0xCD9E8D57ULL * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

// Two passes make the key: seed and epoch first, index and stream after, so that no two keys share a
// sequence.
Random::Random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index, std::uint32_t stream) {
  const auto mixed = philox4x32({low(epoch), high(epoch), stream, 0}, {low(seed), high(seed)});
  key_ = {mixed[0], mixed[1]};
  counter_ = {0, 0, low(index) ^ mixed[2], high(index) ^ mixed[3]};
}

std::uint32_t Random::bits() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

double Random::uniform() {
  const std::uint64_t a = bits() >> 5, b = bits() >> 6;
  return static_cast<double>((a << 26) | b) * 0x1p-53;
}

double Random::uniform(double from, double to) { return from + (to - from) * uniform(); }

std::int64_t Random::integer(std::int64_t from, std::int64_t to) {
  const auto draw = [this] {
    const std::uint64_t upper = bits();
    return (upper << 32) | bits();
  };
  const std::uint64_t span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) + 1;
  if (span == 0) return static_cast<std::int64_t>(draw());  // every integer
  const std::uint64_t unfair = (0 - span) % span;           // so many lowest draws would favour some results
  std::uint64_t v = draw();
  while (v < unfair) v = draw();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + v % span);
}

double Random::normal() {  // Box-Muller
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log1p(-uniform())), angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace marey
