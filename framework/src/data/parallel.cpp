#include <marey/data/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace marey::data {

void for_each_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& work,
                       const std::function<void(std::size_t)>& done) {
  std::atomic<std::size_t> next{0};
  std::size_t finished = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto loop = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        work(i);
        const std::lock_guard guard(mutex);
        ++finished;
        if (done) done(finished);
      }
    } catch (...) {
      next = count;
      const std::lock_guard guard(mutex);
      if (!error) error = std::current_exception();
    }
  };
  const unsigned wanted =
      jobs > 0 ? static_cast<unsigned>(jobs) : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 1; t < std::min<std::size_t>(wanted, count); ++t) threads.emplace_back(loop);
    loop();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace marey::data
