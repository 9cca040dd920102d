#include "support/catch.hpp"
#include "support/places.hpp"
#include "support/plugin_component.hpp"

#include <marey/core/files.hpp>
#include <marey/train/schedule.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>

using namespace marey;

namespace {

double at_step(const Schedule& s, std::int64_t step, std::int64_t per_epoch, std::int64_t epochs) {
  return s.factor({.step = step, .steps_per_epoch = per_epoch, .max_epochs = epochs});
}

// Numbers from the peers' own schedulers. Empty, with a notice, where they are absent.
nlohmann::json peers() {
  const auto folder = marey::test::fixture_folder("peers");
  const auto file = folder / "schedules_handed.json";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: " << file.string() << " is absent");
    return {};
  }
  return nlohmann::json::parse(read_file(file));
}

}  // namespace

TEST_CASE("Constant stays at 1 after its warm-up") {
  test::Plugin plugin("schedules");
  const auto plain = plugin.make<Schedule>("Constant");
  CHECK(at_step(*plain, 0, 10, 3) == 1);
  CHECK(at_step(*plain, 29, 10, 3) == 1);
  const auto warm = plugin.make<Schedule>("Constant", {{"warmup_steps", 4}, {"warmup_start_factor", 0.2}});
  CHECK(at_step(*warm, 0, 10, 3) == Approx(0.2));
  CHECK(at_step(*warm, 2, 10, 3) == Approx(0.6));
  CHECK(at_step(*warm, 4, 10, 3) == 1);
}

TEST_CASE("Cosine by hand") {
  test::Plugin plugin("schedules");
  const auto plain = plugin.make<Schedule>("Cosine", {{"final_factor", 0.1}});
  CHECK(at_step(*plain, 0, 10, 2) == Approx(1));
  CHECK(at_step(*plain, 10, 10, 2) == Approx(0.55));
  CHECK(at_step(*plain, 20, 10, 2) == Approx(0.1));
  CHECK(at_step(*plain, 25, 10, 2) == Approx(0.1));  // beyond the end
  // Starting after a warm-up of 4 of 20 steps, the middle is at step 12.
  const auto after = plugin.make<Schedule>(
      "Cosine", {{"warmup_steps", 4}, {"warmup_start_factor", 0}, {"start", "warmup_end"}});
  CHECK(at_step(*after, 0, 10, 2) == 0);
  CHECK(at_step(*after, 1, 10, 2) == Approx(0.25));
  CHECK(at_step(*after, 4, 10, 2) == Approx(1));
  CHECK(at_step(*after, 12, 10, 2) == Approx(0.5));
}

TEST_CASE("a factor by epoch holds within the epoch") {
  test::Plugin plugin("schedules");
  const auto s = plugin.make<Schedule>("Cosine", {{"by_epoch", true}, {"warmup_epochs", 1}});
  CHECK(at_step(*s, 0, 10, 4) == Approx(0.1));
  CHECK(at_step(*s, 9, 10, 4) == Approx(0.1));
  CHECK(at_step(*s, 20, 10, 4) == Approx(0.5));
  CHECK(at_step(*s, 29, 10, 4) == Approx(0.5));
}

TEST_CASE("a warm-up longer than the run only climbs") {
  test::Plugin plugin("schedules");
  for (const char* start : {"run", "warmup_end"}) {
    const auto s = plugin.make<Schedule>("Cosine", {{"warmup_epochs", 4}, {"start", start}});
    CHECK(at_step(*s, 0, 10, 2) == Approx(0.1));
    CHECK(at_step(*s, 20, 10, 2) == Approx(0.55));
  }
}

TEST_CASE("wrong schedule parameters are named") {
  test::Plugin plugin("schedules");
  const auto contains = [](const std::string& part) { return Catch::Contains(part); };
  CHECK_THAT(plugin.problem<Schedule>("Cosine", {{"warmup_steps", 4}, {"warmup_epochs", 1}}),
             contains("both given"));
  CHECK_THAT(plugin.problem<Schedule>("Cosine", {{"warmup_steps", 4}, {"by_epoch", true}}),
             contains("use warmup_epochs"));
  CHECK_THAT(plugin.problem<Schedule>("MultiStep", {{"milestones", Value::Array{5, 2}}}),
             contains("must rise"));
  CHECK_THAT(plugin.problem<Schedule>("MultiStep", {}), contains("milestones"));
}

TEST_CASE("PySlowFast's learning rates") {
  test::Plugin plugin("schedules");
  const auto all = peers();
  if (all.is_null()) return;
  constexpr std::int64_t per_epoch =
      10000;  // fine enough to stand at each of the fixture's fractional epochs
  int compared = 0;
  for (const auto& c : all.at("pyslowfast_lr")) {
    const auto& solver = c.at("solver");
    const double base = solver.at("BASE_LR");
    const double start = solver.at("WARMUP_START_LR").get<double>() / base;
    const bool cosine = solver.at("LR_POLICY") == "cosine";
    std::shared_ptr<Schedule> s;
    if (cosine) {
      s = plugin.make<Schedule>("Cosine",
                                {{"warmup_epochs", solver.at("WARMUP_EPOCHS").get<double>()},
                                 {"warmup_start_factor", start},
                                 {"final_factor", solver.at("COSINE_END_LR").get<double>() / base},
                                 {"start", solver.at("COSINE_AFTER_WARMUP") ? "warmup_end" : "run"}});
    } else {
      Value::Array milestones;
      for (const auto& epoch : solver.at("STEPS"))
        if (epoch.get<double>() > 0) milestones.emplace_back(epoch.get<double>());
      s = plugin.make<Schedule>("MultiStep", {{"warmup_epochs", solver.at("WARMUP_EPOCHS").get<double>()},
                                              {"warmup_start_factor", start},
                                              {"milestones", milestones},
                                              {"gamma", solver.at("GAMMA").get<double>()}});
    }
    for (std::size_t i = 0; i < c.at("epochs").size(); ++i) {
      const double epoch = c.at("epochs")[i];
      const auto step = std::llround(epoch * per_epoch);
      if (std::abs(epoch * per_epoch - static_cast<double>(step)) > 1e-6)
        continue;  // between two of our steps
      CAPTURE(c.at("yaml").get<std::string>(), epoch);
      CHECK(base * at_step(*s, step, per_epoch, solver.at("MAX_EPOCH")) ==
            Approx(c.at("lr")[i].get<double>()).epsilon(1e-9));
      ++compared;
    }
  }
  CHECK(compared >= 24);
}

TEST_CASE("MMEngine's learning rates") {
  test::Plugin plugin("schedules");
  const auto all = peers();
  if (all.is_null()) return;
  const auto& cases = all.at("mmengine_lr");
  const auto compare = [](const Schedule& s, const nlohmann::json& c, std::int64_t per_epoch,
                          std::int64_t epochs, std::size_t count) {
    CAPTURE(c.at("tag").get<std::string>());
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(i);
      CHECK(c.at("base_lr").get<double>() * at_step(s, static_cast<std::int64_t>(i), per_epoch, epochs) ==
            Approx(c.at("lr_per_iter").at(i).get<double>()).epsilon(1e-9));
    }
  };
  REQUIRE(cases.size() == 3);
  compare(*plugin.make<Schedule>("Cosine", {{"warmup_epochs", 3}, {"warmup_mode", "times_curve"}}), cases[0],
          5, 12, 60);
  compare(*plugin.make<Schedule>("MultiStep", {{"milestones", Value::Array{5, 10}}, {"by_epoch", true}}),
          cases[1], 5, 15, 75);
  compare(*plugin.make<Schedule>("Cosine", {{"warmup_steps", 4},
                                            {"warmup_start_factor", 1e-3},
                                            {"warmup_mode", "times_curve"},
                                            {"start", "warmup_end"},
                                            {"final_factor", 0.01}}),
          cases[2], 34, 1, 34);
}
