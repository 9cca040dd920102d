// The order of samples: a pure function of (seed, epoch). Its state is (epoch, position), so a resume is
// exact.
#pragma once
#include <cstdint>
#include <vector>

namespace marey::data {

class Sampler {
 public:
  Sampler(std::size_t size, std::uint64_t seed, bool shuffle) : size_(size), seed_(seed), shuffle_(shuffle) {}
  std::vector<std::size_t> order(std::uint64_t epoch) const;  // a permutation of 0 … size-1
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::uint64_t seed_;
  bool shuffle_;
};

}  // namespace marey::data
