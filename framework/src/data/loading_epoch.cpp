#include "data/loading_epoch.hpp"

#include <algorithm>
#include <utility>

namespace marey::data {

LoadingEpoch::LoadingEpoch(std::shared_ptr<const Dataset> dataset, const LoaderOptions& options,
                           std::uint64_t epoch, std::vector<std::size_t> order, std::int64_t first_batch,
                           std::int64_t batches)
    : dataset_(std::move(dataset)),
      options_(options),
      loader_(*dataset_, options_),
      epoch_(epoch),
      order_(std::move(order)),
      batches_(batches),
      wanted_(first_batch),
      taking_(first_batch) {
  if (wanted_ >= batches_) return;
  threads_.reserve(static_cast<std::size_t>(options_.threads));
  for (int i = 0; i < options_.threads; ++i)
    threads_.emplace_back([this](std::stop_token stop) { work(std::move(stop)); });
}

LoadingEpoch::~LoadingEpoch() {
  for (auto& thread : threads_) thread.request_stop();  // all first, then the joins of the destructors
}

std::int64_t LoadingEpoch::size_of(std::int64_t batch) const {
  const auto samples = static_cast<std::int64_t>(order_.size());
  return std::min(options_.batch_size, samples - batch * options_.batch_size);
}

bool LoadingEpoch::has_task() const {
  return !failed_ && taking_ < batches_ && taking_ < wanted_ + options_.prefetch;
}

void LoadingEpoch::work(std::stop_token stop) {
  const auto cancelled = [&stop] { return stop.stop_requested(); };
  std::unique_lock lock(mutex_);
  while (room_.wait(lock, stop, [this] { return has_task(); })) {
    if (stop.stop_requested()) return;
    if (window_.size() == static_cast<std::size_t>(taking_ - wanted_))
      window_.push_back(std::make_unique<PendingBatch>(size_of(taking_)));
    PendingBatch& batch = *window_.back();
    const std::size_t row = batch.taken++;
    const std::size_t index = order_[static_cast<std::size_t>(taking_ * options_.batch_size) + row];
    if (batch.taken == batch.rows.size()) ++taking_;
    lock.unlock();

    std::exception_ptr error;
    try {
      batch.rows[row] = loader_.load(epoch_, index, static_cast<std::int64_t>(row), batch.memory, cancelled);
    } catch (...) {
      error = std::current_exception();
    }

    lock.lock();
    if (stop.stop_requested()) return;
    batch.errors[row] = error;
    // Rows are taken in order, so every row before this one is taken already: which error comes first does
    // not depend on the number of threads.
    if (error) failed_ = true;
    ++batch.done;
    if (batch.done == batch.rows.size() || failed_) ready_.notify_all();
  }
}

std::unique_ptr<PendingBatch> LoadingEpoch::next() {
  if (wanted_ >= batches_) return nullptr;
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] {
    if (window_.empty()) return false;
    const PendingBatch& batch = *window_.front();
    return batch.done == batch.rows.size() || (failed_ && batch.done == batch.taken);
  });
  auto batch = std::move(window_.front());
  window_.pop_front();
  ++wanted_;
  taking_ = std::max(taking_, wanted_);
  lock.unlock();
  room_.notify_all();
  return batch;
}

}  // namespace marey::data
