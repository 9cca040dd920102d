#include "bench_run.hpp"

#include <marey/core/error.hpp>

#include <limits>

using namespace marey;
using test::BenchRun;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// After how many evaluations the run is told to stop; 0: never.
std::size_t stops_after(BenchRun& b, const std::vector<double>& values, const std::string& key = "val/top1") {
  for (std::size_t i = 0; i < values.size(); ++i) {
    b.evaluate(values[i], key);
    if (b.run.stop) return i + 1;
  }
  return 0;
}

}  // namespace

TEST_CASE("early stopping waits as long as its patience") {
  test::Plugin plugin("early_stopping");
  const auto after = [&](std::vector<double> values, double min_delta = 0) {
    BenchRun b({plugin.make<Hook>("EarlyStopping",
                                  {{"monitor", "val/top1"}, {"patience", 2}, {"min_delta", min_delta}})});
    return stops_after(b, values);
  };
  CHECK(after({0.1, 0.2, 0.3}) == 0);
  CHECK(after({0.5, 0.4, 0.4}) == 3);
  CHECK(after({0.5, 0.4, 0.6, 0.5, 0.6}) == 5);  // equal is not better
  CHECK(after({0.5, 0.55, 0.58}, 0.1) == 3);
  CHECK(after({0.5, 0.55, 0.61, 0.6}, 0.1) == 0);  // compared with the best, not with the last
  CHECK(after({0.5, 0.6, not_a_number, not_a_number, not_a_number}) == 4);
  CHECK(after({not_a_number, not_a_number}) == 2);
  CHECK(after({not_a_number, 0.1, 0.2}) == 0);
}

TEST_CASE("a smaller value can be the better one") {
  test::Plugin plugin("early_stopping");
  BenchRun b(
      {plugin.make<Hook>("EarlyStopping", {{"monitor", "val/loss"}, {"patience", 1}, {"mode", "min"}})});
  CHECK(stops_after(b, {3, 2, 2.5}, "val/loss") == 3);
  CHECK(b.run.stop_reason == "val/loss has not improved on 2 in 1 evaluations in a row");
}

TEST_CASE("a metric that nobody computes is refused before the run") {
  test::Plugin plugin("early_stopping");
  const auto hook = plugin.make<Hook>("EarlyStopping", {{"monitor", "val/tpo1"}});
  CHECK_THROWS_WITH(BenchRun({hook}),
                    Catch::Contains("monitor = \"val/tpo1\"") && Catch::Contains("did you mean 'val/top1'?"));
  Run silent;
  CHECK_THROWS_WITH(hook->prepare(silent), Catch::Contains("never evaluates"));
  BenchRun b({plugin.make<Hook>("EarlyStopping", {{"monitor", "val/top1"}})});
  CHECK_THROWS_AS(b.evaluate(1, "val/other"), Error);
}

TEST_CASE("an evaluation that was broken off counts for nothing") {
  test::Plugin plugin("early_stopping");
  BenchRun b({plugin.make<Hook>("EarlyStopping", {{"monitor", "val/top1"}, {"patience", 1}})});
  b.evaluate(0.5);
  b.run.interrupted = true;
  b.run.metrics.clear();
  b.hooks[0]->eval_end(b.run);
  CHECK_FALSE(b.run.stop);
}

TEST_CASE("patience and best survive a resume") {
  test::Plugin plugin("early_stopping");
  const auto make = [&] {
    return plugin.make<Hook>("EarlyStopping", {{"monitor", "val/top1"}, {"patience", 3}});
  };
  BenchRun first({make()});
  CHECK(stops_after(first, {0.5, 0.7, 0.6}) == 0);
  const auto again = make();
  again->load(State{nlohmann::json::parse(first.hooks[0]->save().values.dump()), {}});
  CHECK(again->save().values == first.hooks[0]->save().values);
  BenchRun resumed({again});
  CHECK(stops_after(resumed, {0.65, 0.69}) == 2);

  const auto fresh = make();
  fresh->load(make()->save());  // nothing seen yet
  BenchRun b({fresh});
  CHECK(stops_after(b, {0.1}) == 0);
}

TEST_CASE("a stopped run that is resumed trains no further, unless its patience is raised") {
  test::Plugin plugin("early_stopping");
  const auto make = [&](std::int64_t patience) {
    return plugin.make<Hook>("EarlyStopping", {{"monitor", "val/top1"}, {"patience", patience}});
  };
  BenchRun stopped({make(1)});
  REQUIRE(stops_after(stopped, {0.5, 0.4}) == 2);
  const auto resumed = [&](std::int64_t patience) {
    const auto hook = make(patience);
    hook->load(stopped.hooks[0]->save());
    const BenchRun b({hook});
    return std::pair(b.run.stop, b.run.stop_reason);
  };
  CHECK(resumed(1) == std::pair(true, stopped.run.stop_reason));
  CHECK_FALSE(resumed(2).first);
}
