// Randomness as a pure function of a key: the same numbers for any number of threads, ranks and resumes.
// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once
#include <array>
#include <cstdint>

namespace marey {

// The bare generator: one block of four numbers for a counter and a key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

class Random {
 public:
  // `stream` separates uses of one (seed, epoch, index): the pipeline, the sampler, …
  Random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index, std::uint32_t stream = 0);

  std::uint32_t bits();
  double uniform();                                           // [0, 1), 53 bits
  double uniform(double low, double high);                    // [low, high)
  std::int64_t integer(std::int64_t low, std::int64_t high);  // both included; unbiased
  double normal();                                            // mean 0, deviation 1
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::array<std::uint32_t, 4> counter_{}, block_{};
  std::array<std::uint32_t, 2> key_{};
  int used_ = 4;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace marey
