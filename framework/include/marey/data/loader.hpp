// Threads that turn samples into batches. Batches come in the sampler's order and hold the same bytes for any
// number of threads. Bounded memory: at most `prefetch` batches are under way. Never hangs: an error of a
// worker reaches next().
#pragma once
#include <marey/data/batch.hpp>
#include <marey/data/dataset.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace marey::data {

enum class BadFilePolicy { fail, skip };

struct LoaderOptions {
  std::int64_t batch_size = 8;
  int threads = 2;
  int prefetch = 3;       // batches under way
  bool training = false;  // shuffled; the last, smaller batch is kept unless drop_last
  bool drop_last = false;
  std::uint64_t seed = 0;
  // skip: in training the next good index stands in, chosen deterministically; in evaluation the sample is
  // left out and the batch is smaller, so that no video counts twice.
  BadFilePolicy on_error = BadFilePolicy::fail;
  double max_bad_fraction = 0.05;              // of the data set; above it the run ends with exit code 3
  std::filesystem::path bad_samples_log = {};  // one JSON line per bad file, each once
  // Follows the message of a bad file where the policy is fail; empty where no recipe can change the policy.
  std::string advice = "loader.on_error = \"skip\" would go on without such files";
};

struct LoaderStats {
  std::int64_t samples = 0, bad_files = 0;
  double wait_seconds = 0;  // time that next() waited
};

class Loader {
 public:
  Loader(std::shared_ptr<const Dataset>, LoaderOptions);
  ~Loader();  // cancels and joins at once
  Loader(const Loader&) = delete;

  std::int64_t batches_per_epoch() const;
  // Starts an epoch at a batch position; cancels what was under way.
  void start(std::uint64_t epoch, std::int64_t position = 0);
  std::optional<Batch> next();    // nullopt at the end of the epoch
  std::int64_t position() const;  // batches handed out in this epoch
  const LoaderStats& stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace marey::data
