#include "data/bad_files.hpp"
#include "data/loading_epoch.hpp"

#include <marey/core/error.hpp>
#include <marey/data/loader.hpp>
#include <marey/data/sampler.hpp>

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

namespace marey::data {
namespace {

std::string shown(const LoadedRow& row) {
  const auto& s = row.shape;
  return fmt::format("{} (sample {}) gives {} views of {} frames of {}x{} pixels", row.source, row.index,
                     s.views, s.length, s.width, s.height);
}

void check_shapes(const std::vector<const LoadedRow*>& rows) {
  for (const auto* row : rows)
    if (row->shape != rows.front()->shape)
      throw UsageError(
          fmt::format("the clips of one batch differ in shape: {}, {}; end the pipeline with a fixed size, "
                      "such as Resize with keep_ratio = false or a crop, or set loader.batch_size = 1",
                      shown(*rows.front()), shown(*row)));
}

at::Tensor index_tensor(const std::vector<std::int64_t>& values) {
  at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::ranges::copy(values, out.mutable_data_ptr<std::int64_t>());
  return out;
}

Batch assemble(const PendingBatch& pending) {
  std::vector<const LoadedRow*> rows;
  std::vector<std::int64_t> kept, labels;
  for (std::size_t i = 0; i < pending.rows.size(); ++i)
    if (const auto& row = pending.rows[i].row) {
      rows.push_back(&*row);
      kept.push_back(static_cast<std::int64_t>(i));
    }
  Batch batch;
  if (rows.empty()) return batch;
  check_shapes(rows);
  at::Tensor pixels = pending.memory.pixels();
  if (kept.size() != pending.rows.size()) pixels = at::index_select(pixels, 0, index_tensor(kept));
  batch.pixels = pixels.permute({0, 1, 5, 2, 3, 4});
  for (const auto* row : rows) {
    labels.push_back(row->label);
    batch.indices.push_back(row->index);
    batch.sources.push_back(row->source);
  }
  batch.labels = index_tensor(labels);
  return batch;
}

void check(const Dataset* dataset, const LoaderOptions& o) {
  if (!dataset) throw Error("the loader needs a data set");
  if (dataset->size() == 0) throw DataError("the data set is empty");
  if (o.batch_size < 1)
    throw UsageError(fmt::format("loader.batch_size is {}; expected 1 or more", o.batch_size));
  if (o.threads < 1) throw UsageError(fmt::format("loader.threads is {}; expected 1 or more", o.threads));
  if (o.prefetch < 1) throw UsageError(fmt::format("loader.prefetch is {}; expected 1 or more", o.prefetch));
  if (!(o.max_bad_fraction >= 0 && o.max_bad_fraction <= 1))
    throw UsageError(fmt::format("loader.max_bad_fraction is {}; expected 0 to 1", o.max_bad_fraction));
  if (o.drop_last && dataset->size() < static_cast<std::size_t>(o.batch_size))
    throw UsageError(fmt::format("loader.drop_last leaves nothing: {} samples, loader.batch_size = {}",
                                 dataset->size(), o.batch_size));
}

}  // namespace

struct Loader::Impl {
  Impl(std::shared_ptr<const Dataset> d, LoaderOptions o)
      : dataset(std::move(d)),
        options(std::move(o)),
        sampler(dataset->size(), options.seed, options.training),
        bad_files(dataset->size(), options.max_bad_fraction, options.bad_samples_log) {
    const auto samples = static_cast<std::int64_t>(dataset->size());
    batches = (samples + (options.drop_last ? 0 : options.batch_size - 1)) / options.batch_size;
  }

  Batch finish(const PendingBatch& pending) {
    for (std::size_t i = 0; i < pending.rows.size(); ++i) {
      if (pending.errors[i]) std::rethrow_exception(pending.errors[i]);
      for (const auto& bad : pending.rows[i].bad) bad_files.add(bad, epoch->number());
    }
    return assemble(pending);
  }

  std::shared_ptr<const Dataset> dataset;
  LoaderOptions options;
  Sampler sampler;
  BadFiles bad_files;
  std::int64_t batches = 0, position = 0;
  LoaderStats stats;
  std::exception_ptr error;  // given again by each next() until start()
  std::unique_ptr<LoadingEpoch> epoch;
};

Loader::Loader(std::shared_ptr<const Dataset> dataset, LoaderOptions options) {
  check(dataset.get(), options);
  impl_ = std::make_unique<Impl>(std::move(dataset), std::move(options));
}
Loader::~Loader() = default;

std::int64_t Loader::batches_per_epoch() const { return impl_->batches; }
std::int64_t Loader::position() const { return impl_->position; }
const LoaderStats& Loader::stats() const { return impl_->stats; }

void Loader::start(std::uint64_t epoch, std::int64_t position) {
  if (position < 0 || position > impl_->batches)
    throw DataError(
        fmt::format("cannot go on at batch {} of an epoch of {}; has the data set or the batch size changed?",
                    position, impl_->batches));
  impl_->epoch.reset();
  impl_->error = nullptr;
  impl_->position = position;
  impl_->epoch = std::make_unique<LoadingEpoch>(impl_->dataset, impl_->options, epoch,
                                                impl_->sampler.order(epoch), position, impl_->batches);
}

std::optional<Batch> Loader::next() {
  if (!impl_->epoch) throw Error("Loader::next() before start()");
  if (impl_->error) std::rethrow_exception(impl_->error);
  const auto begin = std::chrono::steady_clock::now();
  std::optional<Batch> out;
  try {
    // A batch of which evaluation leaves every sample out is no batch.
    while (!out) {
      const auto pending = impl_->epoch->next();
      if (!pending) break;
      ++impl_->position;
      if (Batch batch = impl_->finish(*pending); batch.size() > 0) out = std::move(batch);
    }
  } catch (...) {
    impl_->error = std::current_exception();
  }
  impl_->stats.wait_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  impl_->stats.bad_files = static_cast<std::int64_t>(impl_->bad_files.files());
  if (impl_->error) std::rethrow_exception(impl_->error);
  if (out) impl_->stats.samples += out->size();
  return out;
}

}  // namespace marey::data
