// Reads an annotation list several times, for bench/lists: prints the rows, the median seconds, and how much
// the process grew by the first reading, at its peak, in MB.
#include <marey/data/annotation_list.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: bench_lists LIST\n"), 2;
  std::vector<double> seconds;
  std::size_t rows = 0;
  const double before = peak_megabytes();
  double grown = 0;
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    rows = marey::data::AnnotationList::read(argv[1]).size();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (i == 0) grown = peak_megabytes() - before;
  }
  std::ranges::sort(seconds);
  fmt::print("{} {:.4f} {:.1f}\n", rows, seconds[seconds.size() / 2], grown);
}
