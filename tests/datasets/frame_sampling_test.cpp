// Frames against those that the peers' own code chose, with their draws.
#include "transforms/frame_sampling.hpp"

#include "datasets/recorded_draws.hpp"
#include "support/catch.hpp"
#include "support/places.hpp"

#include <marey/core/files.hpp>
#include <marey/core/random.hpp>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <numeric>

using namespace marey;
using namespace marey::datasets;
using nlohmann::json;
using Frames = std::vector<std::int64_t>;

namespace {

json peers(const char* key) {
  const auto folder = marey::test::fixture_folder("peers");
  const auto file = folder / "sampling_handed.json";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: " << file.string() << " is absent");
    return json::array();
  }
  return json::parse(read_file(file)).at(key);
}

template <class Starts>
Frames all_frames(const SamplingRule& rule, std::int64_t n, double span, const Starts& starts) {
  Frames out;
  for (const double start : starts) {
    const auto clip = clip_frames(rule, start, span, n);
    out.insert(out.end(), clip.begin(), clip.end());
  }
  return out;
}

Frames test_frames(const SamplingRule& rule, std::int64_t n, double fps = 0) {
  const double span = clip_span(rule, fps, false);
  return all_frames(rule, n, span, test_starts(rule, n, span));
}

}  // namespace

TEST_CASE("MMAction2's frames of a test") {
  for (const auto& e : peers("mmaction2_test")) {
    SamplingRule rule{.clip_len = e["clip_len"],
                      .interval = e["interval"],
                      .num_clips = e["clips"],
                      .twice_sample = e["twice"],
                      .out_of_bound = e["oob"]};
    if (!e["target_fps"].is_null()) rule.target_fps = e["target_fps"].get<double>();
    INFO(e.dump());
    auto expected = e["idx"].get<Frames>();
    for (auto& index : expected) index -= e.value("start_index", 0);  // files of frames count from 1 there
    REQUIRE(test_frames(rule, e["n"], e["fps"].is_null() ? 0.0 : e["fps"].get<double>()) == expected);
  }
}

TEST_CASE("MMAction2's frames of training, from its draws") {
  for (const auto& e : peers("mmaction2_train")) {
    const SamplingRule rule{.clip_len = e["clip_len"],
                            .interval = e["interval"],
                            .num_clips = e["clips"],
                            .keep_tail_frames = e["keep_tail"]};
    std::deque<double> draws;
    for (const auto& d : e["draws"]) {
      if (d[2].is_array())
        for (const auto& v : d[2]) draws.push_back(v);
      else
        draws.push_back(d[2]);
    }
    test::RecordedDraws random(draws, true);
    const std::int64_t n = e["n"];
    const double span = clip_span(rule, 0, true);
    INFO(e.dump());
    REQUIRE(all_frames(rule, n, span, train_starts(rule, n, span, random)) == e["idx"].get<Frames>());
    REQUIRE(random.used_up());
  }
}

TEST_CASE("PySlowFast's frames of a test") {
  for (const auto& e : peers("pyslowfast")) {
    const SamplingRule rule{.clip_len = e["T"],
                            .interval = e["tau"],
                            .num_clips = e["clips"],
                            .stretch = true,
                            .leading = !e["use_offset"].get<bool>(),
                            .out_of_bound = "clamp",
                            .target_fps = e["target_fps"].get<double>()};
    const std::int64_t n = e["n"];
    const double span = clip_span(rule, e["fps"], false);
    INFO(e.dump());
    REQUIRE(span == Approx(e["clip_size"].get<double>()).epsilon(1e-12));
    const auto start = test_starts(rule, n, span).at(e["clip"].get<std::size_t>());
    REQUIRE(start == Approx(e["start"].get<double>()).epsilon(1e-12));
    REQUIRE(clip_frames(rule, start, span, n) == e["idx"].get<Frames>());
  }
}

TEST_CASE("PySlowFast's frames of training, from its draws") {
  for (const auto& e : peers("pyslowfast_random")) {
    const SamplingRule rule{
        .clip_len = e["T"], .interval = e["tau"], .stretch = true, .out_of_bound = "clamp"};
    test::RecordedDraws random({e["u"].get<double>()});
    const std::int64_t n = e["n"];
    const double span = clip_span(rule, 0, true);
    INFO(e.dump());
    REQUIRE(all_frames(rule, n, span, train_starts(rule, n, span, random)) == e["idx"].get<Frames>());
  }
}

TEST_CASE("frames worked out by hand") {
  CHECK(test_frames({.clip_len = 1, .num_clips = 8}, 6) == Frames{0, 1, 1, 2, 3, 4, 4, 5});
  CHECK(test_frames({.clip_len = 6}, 5) == Frames{0, 1, 2, 3, 4, 0});
  CHECK(test_frames({.clip_len = 4, .interval = 4, .out_of_bound = "repeat_last"}, 10) == Frames{0, 4, 8, 8});
  CHECK(test_frames({.clip_len = 4, .interval = 4, .out_of_bound = "clamp"}, 10) == Frames{0, 4, 8, 9});
  CHECK(test_frames({.clip_len = 4, .interval = 4, .out_of_bound = "loop"}, 10) == Frames{0, 4, 8, 2});
  CHECK(test_frames({.clip_len = 2, .num_clips = 3}, 10) == Frames{0, 1, 4, 5, 8, 9});
  CHECK(test_frames({.clip_len = 2, .num_clips = 2, .leading = true}, 10) == Frames{0, 1, 4, 5});
  // Half the rate of the file: the clip covers twice the frames.
  CHECK(test_frames({.clip_len = 4, .stretch = true, .out_of_bound = "clamp", .target_fps = 15}, 8, 30) ==
        Frames{0, 2, 4, 7});
  CHECK(test_frames({.clip_len = 4, .stretch = true, .out_of_bound = "clamp", .target_fps = 15}, 8, 0) ==
        Frames{2, 3, 4, 5});
}

TEST_CASE("under every rule each frame lies within the video, however short") {
  for (std::uint64_t run = 0; run < 3000; ++run) {
    Random random(5, 0, run);
    const auto pick = [&](std::int64_t low, std::int64_t high) { return random.integer(low, high); };
    const char* bounds[] = {"loop", "repeat_last", "clamp"};
    SamplingRule rule{.clip_len = pick(1, 40),
                      .interval = pick(1, 9),
                      .num_clips = pick(1, 12),
                      .stretch = random.chance(0.5),
                      .leading = random.chance(0.5),
                      .keep_tail_frames = random.chance(0.5),
                      .out_of_bound = bounds[pick(0, 2)]};
    if (random.chance(0.5)) rule.target_fps = random.uniform(1, 60);
    const std::int64_t n = pick(1, random.chance(0.5) ? 10 : 400);
    const bool training = random.chance(0.5);
    const double span = clip_span(rule, random.chance(0.3) ? 0.0 : random.uniform(5, 120), training);
    const auto starts = training ? train_starts(rule, n, span, random) : test_starts(rule, n, span);
    REQUIRE(starts.size() == static_cast<std::size_t>(rule.num_clips));
    for (const double start : starts) {
      REQUIRE(start >= 0);
      const auto frames = clip_frames(rule, start, span, n);
      REQUIRE(frames.size() == static_cast<std::size_t>(rule.clip_len));
      for (const auto f : frames) REQUIRE((f >= 0 && f < n));
      if (n >= span && rule.out_of_bound != "loop") REQUIRE(std::ranges::is_sorted(frames));
    }
  }
}
