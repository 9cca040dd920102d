#include "data/fake_dataset.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/data/loader.hpp>
#include <marey/data/sampler.hpp>

#include <ATen/ops/equal.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>

using namespace marey;
using data::Batch;
using data::Loader;
using data::LoaderOptions;
using test::contains;
using test::fake_dataset;
using test::message_of;

namespace {

std::vector<Batch> all_batches(Loader& loader) {
  std::vector<Batch> out;
  while (auto batch = loader.next()) out.push_back(std::move(*batch));
  return out;
}

bool same(const Batch& a, const Batch& b) {
  return a.indices == b.indices && a.sources == b.sources && at::equal(a.labels, b.labels) &&
         at::equal(a.pixels, b.pixels);
}

}  // namespace

TEST_CASE("the same batches for 1, 2 and 4 threads") {
  std::vector<std::vector<Batch>> runs;
  for (const int threads : {1, 2, 4}) {
    Loader loader(fake_dataset(23),
                  {.batch_size = 4, .threads = threads, .prefetch = 2, .training = true, .seed = 9});
    loader.start(6);
    runs.push_back(all_batches(loader));
    CHECK(loader.position() == 6);
    CHECK(loader.stats().samples == 23);
  }
  REQUIRE(runs[0].size() == 6);
  CHECK(runs[0].back().size() == 3);
  std::vector<std::size_t> order;
  for (const auto& batch : runs[0]) order.insert(order.end(), batch.indices.begin(), batch.indices.end());
  CHECK(order == data::Sampler(23, 9, true).order(6));
  for (std::size_t run = 1; run < runs.size(); ++run) {
    REQUIRE(runs[run].size() == runs[0].size());
    for (std::size_t i = 0; i < runs[0].size(); ++i) CHECK(same(runs[run][i], runs[0][i]));
  }
}

TEST_CASE("pixels lie as [N, V, T, H, W, C] and are shown as [N, V, C, T, H, W], views clip-major") {
  Loader loader(fake_dataset(6), {.batch_size = 3, .seed = 4});
  loader.start(2, 1);
  const auto batch = loader.next();
  REQUIRE(batch);
  const at::Tensor& pixels = batch->pixels;
  CHECK(pixels.sizes().vec() == std::vector<std::int64_t>({3, 4, 3, 3, 4, 4}));
  CHECK(pixels.permute({0, 1, 3, 4, 5, 2}).is_contiguous());
  const auto* p = pixels.const_data_ptr<std::uint8_t>();
  for (std::size_t n = 0; n < 3; ++n) {
    const std::size_t sample = batch->indices[n];
    CHECK(batch->sources[n] == fmt::format("clip_{}.mp4", sample));
    CHECK(batch->labels.const_data_ptr<std::int64_t>()[n] == static_cast<std::int64_t>(sample % 5));
    const auto start = Random(4, 2, sample).integer(0, 15);
    for (int v = 0; v < 4; ++v)
      for (int t = 0; t < 3; ++t)
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 4; ++x)
            for (int c = 0; c < 3; ++c) {
              const int left = v % 2 ? 7 : 1, top = v % 2 ? 3 : 2;
              REQUIRE(*p++ == test::fake_pixel(sample, start + 2 * (v / 2) + t, left + x, top + y, c));
            }
  }
}

TEST_CASE("an epoch goes on exactly at any position, and an old one is called off") {
  Loader loader(fake_dataset(20), {.batch_size = 3, .threads = 3, .training = true, .seed = 1});
  loader.start(4);
  const auto whole = all_batches(loader);
  REQUIRE(whole.size() == 7);
  for (std::int64_t position = 0; position <= 7; ++position) {
    loader.start(3);
    (void)loader.next();
    loader.start(4, position);
    CHECK(loader.position() == position);
    const auto rest = all_batches(loader);
    REQUIRE(rest.size() == 7 - static_cast<std::size_t>(position));
    for (std::size_t i = 0; i < rest.size(); ++i)
      CHECK(same(rest[i], whole[i + static_cast<std::size_t>(position)]));
  }
  CHECK_FALSE(loader.next());
  CHECK_THROWS_AS(loader.start(4, 8), DataError);
  CHECK_THROWS_AS(loader.start(4, -1), DataError);
}

TEST_CASE("epochs differ when training and agree in order when not") {
  Loader training(fake_dataset(20), {.batch_size = 20, .training = true});
  training.start(0);
  const auto first = training.next();
  training.start(1);
  CHECK(training.next()->indices != first->indices);

  Loader evaluating(fake_dataset(4), {.batch_size = 8});
  evaluating.start(3);
  CHECK(evaluating.next()->indices == std::vector<std::size_t>({0, 1, 2, 3}));
}

TEST_CASE("the last, smaller batch is kept or dropped") {
  Loader kept(fake_dataset(10), {.batch_size = 4});
  CHECK(kept.batches_per_epoch() == 3);
  Loader dropped(fake_dataset(10), {.batch_size = 4, .drop_last = true});
  CHECK(dropped.batches_per_epoch() == 2);
  dropped.start(0);
  CHECK(all_batches(dropped).size() == 2);
}

TEST_CASE("no more batches are under way than asked for") {
  auto dataset = fake_dataset(100);
  Loader loader(dataset, {.batch_size = 2, .threads = 3, .prefetch = 2});
  loader.start(0);
  for (int taken = 1; taken <= 10; ++taken) {
    REQUIRE(loader.next());
    CHECK(dataset->opened <= (taken + 2) * 2);
  }
}

TEST_CASE("threads share the samples of one batch") {
  // Four samples of the only batch wait for each other: with a thread a batch, this would never end.
  auto dataset = fake_dataset(4);
  std::mutex mutex;
  std::condition_variable all_here;
  int here = 0;
  dataset->on_open = [&](std::size_t, const std::function<bool()>&) {
    std::unique_lock lock(mutex);
    if (++here == 4) all_here.notify_all();
    all_here.wait(lock, [&] { return here == 4; });
  };
  Loader loader(dataset, {.batch_size = 4, .threads = 4, .prefetch = 1});
  loader.start(0);
  CHECK(loader.next()->size() == 4);
}

TEST_CASE("an error of a worker reaches next(), after the batches before it") {
  for (const int threads : {1, 2, 4}) {
    auto dataset = fake_dataset(12);
    dataset->add([](data::Clip& clip, Random&) {
      if (clip.sample.index == 5) throw std::runtime_error("a defect of this transform");
      if (clip.sample.index == 9) throw std::runtime_error("another one");
    });
    Loader loader(
        dataset, {.batch_size = 2, .threads = threads, .prefetch = 6, .on_error = data::BadFilePolicy::skip});
    loader.start(0);
    CHECK(loader.next());
    CHECK(loader.next());
    CHECK_THROWS_WITH(loader.next(), "clip_5.mp4: a defect of this transform");
    CHECK_THROWS_WITH(loader.next(), "clip_5.mp4: a defect of this transform");  // again, not a hang
    loader.start(0, 3);
    CHECK(loader.next());
  }
}

TEST_CASE("clips of different shapes in one batch are an error that names both") {
  for (const int threads : {1, 3}) {
    auto dataset = fake_dataset(6);
    dataset->add([](data::Clip& clip, Random&) {
      if (clip.sample.index == 2)
        for (auto& g : clip.crops) g.out_width = 5;
    });
    Loader loader(dataset, {.batch_size = 6, .threads = threads});
    loader.start(0);
    CHECK_THROWS_AS(loader.next(), UsageError);
    loader.start(0);
    CHECK(contains(message_of<UsageError>([&] { loader.next(); }),
                   "clip_0.mp4 (sample 0) gives 4 views of 3 frames of 4x4 pixels, "
                   "clip_2.mp4 (sample 2) gives 4 views of 3 frames of 5x4 pixels"));
  }
}

TEST_CASE("destroying a loader calls off what blocks") {
  auto dataset = fake_dataset(50);
  std::atomic<int> blocked = 0;
  dataset->on_open = [&](std::size_t, const std::function<bool()>& cancelled) {
    ++blocked;
    while (!cancelled()) std::this_thread::yield();
    throw media::MediaError("cancelled");
  };
  {
    Loader loader(dataset, {.batch_size = 2, .threads = 4});
    loader.start(0);
    while (blocked < 4) std::this_thread::yield();
    loader.start(1);  // the same for a new epoch
    while (blocked < 8) std::this_thread::yield();
  }
  CHECK(blocked == 8);
  CHECK(dataset.use_count() == 1);
}

TEST_CASE("a loader with batches nobody takes ends at once") {
  for (int run = 0; run < 20; ++run) {
    Loader loader(fake_dataset(50), {.batch_size = 2, .threads = 4});
    loader.start(0);
    if (run % 2) (void)loader.next();
  }
}

TEST_CASE("options that cannot work are refused") {
  CHECK_THROWS_AS(Loader(fake_dataset(0), {}), DataError);
  CHECK_THROWS_AS(Loader(fake_dataset(3), {.batch_size = 0}), UsageError);
  CHECK_THROWS_AS(Loader(fake_dataset(3), {.threads = 0}), UsageError);
  CHECK_THROWS_AS(Loader(fake_dataset(3), {.prefetch = 0}), UsageError);
  CHECK_THROWS_AS(Loader(fake_dataset(3), {.max_bad_fraction = 1.5}), UsageError);
  CHECK_THROWS_AS(Loader(fake_dataset(3), {.batch_size = 4, .drop_last = true}), UsageError);
  Loader loader(fake_dataset(3), {});
  CHECK_THROWS_AS(loader.next(), Error);
}

TEST_CASE("unlabelled samples and samples of several labels") {
  auto dataset = fake_dataset(2);
  dataset->add([](data::Clip& clip, Random&) {
    if (clip.sample.index == 0) clip.labels.clear();
    if (clip.sample.index == 1) clip.labels = {1, 2};
  });
  Loader loader(dataset, {.batch_size = 1});
  loader.start(0);
  CHECK(loader.next()->labels.item<std::int64_t>() == -1);
  CHECK_THROWS_AS(loader.next(), UsageError);
}
