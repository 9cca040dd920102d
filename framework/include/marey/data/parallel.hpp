// Independent pieces of work on a few threads.
#pragma once
#include <cstddef>
#include <functional>

namespace marey::data {

// Calls work(i) for each i below `count`, on `jobs` threads; then done(finished), one call at a time. The
// first exception stops the rest and is thrown here. `jobs` 0: one for each processor.
void for_each_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& work,
                       const std::function<void(std::size_t)>& done = {});

}  // namespace marey::data
