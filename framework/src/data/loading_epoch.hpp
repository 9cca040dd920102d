// The threads that work on one epoch. Rows are taken in order by whoever is free, so that all threads work on
// the batch that is wanted first; at most `prefetch` batches are under way.
#pragma once
#include "data/sample_loader.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace marey::data {

// One batch under way. `done` and `taken` belong to the epoch's mutex, each row to the thread that took it.
struct PendingBatch {
  explicit PendingBatch(std::int64_t size)
      : memory(size), rows(static_cast<std::size_t>(size)), errors(static_cast<std::size_t>(size)) {}
  BatchMemory memory;
  std::vector<RowResult> rows;
  std::vector<std::exception_ptr> errors;
  std::size_t taken = 0, done = 0;
};

class LoadingEpoch {
 public:
  LoadingEpoch(std::shared_ptr<const Dataset>, const LoaderOptions&, std::uint64_t epoch,
               std::vector<std::size_t> order, std::int64_t first_batch, std::int64_t batches);
  LoadingEpoch(const LoadingEpoch&) = delete;
  ~LoadingEpoch();  // asks everyone to stop and waits for them; what they were reading is called off

  // The next batch with all its rows, or with an error among them; null at the end.
  std::unique_ptr<PendingBatch> next();
  std::uint64_t number() const { return epoch_; }

 private:
  void work(std::stop_token);
  bool has_task() const;
  std::int64_t size_of(std::int64_t batch) const;

  std::shared_ptr<const Dataset> dataset_;
  LoaderOptions options_;
  SampleLoader loader_;
  std::uint64_t epoch_;
  std::vector<std::size_t> order_;
  std::int64_t batches_;

  std::mutex mutex_;
  std::condition_variable_any room_, ready_;
  std::deque<std::unique_ptr<PendingBatch>> window_;  // [wanted_, taking_]
  std::int64_t wanted_, taking_;                      // batch that next() gives; batch whose rows are taken
  bool failed_ = false;                               // no further rows are taken
  std::vector<std::jthread> threads_;                 // last: joined before anything else goes
};

}  // namespace marey::data
