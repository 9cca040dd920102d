#include "data/fake_dataset.hpp"
#include "support/catch.hpp"

#include <marey/core/error.hpp>
#include <marey/core/registry.hpp>
#include <marey/data/pipeline.hpp>

#include <stdexcept>

using namespace marey;
using marey::data::Clip;

namespace {

const media::VideoInfo video{.frames = 10, .width = 16, .height = 8, .fps = 25};

Clip plan(const std::vector<test::FunctionTransform::Function>& steps, media::VideoInfo info = video) {
  std::vector<std::shared_ptr<Transform>> pipeline;
  for (const auto& step : steps) pipeline.push_back(std::make_shared<test::FunctionTransform>(step));
  Random random(0, 0, 0);
  return data::plan_clip({.source = "v.mp4", .labels = {3}, .index = 4}, info, pipeline, true, random);
}

std::string error_of(const std::vector<test::FunctionTransform::Function>& steps) {
  try {
    plan(steps);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

void two_frames(Clip& clip, Random&) { clip.frames = {{0, 9}}; }

struct Thrower : Transform {
  struct Params {
    std::string what = "data";
  };
  static auto schema() { return Schema<Params>{}.arg<&Params::what>({.doc = "what is thrown"}); }
  explicit Thrower(Params p) : what(p.what) {}
  void apply(Clip&, Random&) const override {
    if (what == "data") throw DataError("d");
    if (what == "usage") throw UsageError("u");
    if (what == "media") throw media::MediaError("m");
    if (what == "standard") throw std::runtime_error("s");
    throw 3;
  }
  std::string what;
};

}  // namespace

TEST_CASE("a clip starts as the whole frame with the sample's labels") {
  const Clip clip = plan({two_frames});
  CHECK(clip.labels == std::vector<std::int64_t>{3});
  CHECK(clip.sample.index == 4);
  CHECK(clip.training);
  CHECK(clip.views() == 1);
  CHECK(clip.length() == 2);
  CHECK(clip.crops[0].crop == media::Rect{0, 0, 16, 8});
}

TEST_CASE("what a pipeline leaves must be a set of equal views") {
  const auto says = [](const std::string& error, const char* part) {
    return error.find(part) != std::string::npos;
  };
  CHECK(says(error_of({}), "chooses no frames; add a transform such as SampleFrames"));
  CHECK(says(error_of({[](Clip& c, Random&) { c.frames = {{0, 10}}; }}), "frame 10 of a video of 10 frames"));
  CHECK(says(error_of({[](Clip& c, Random&) { c.frames = {{-1}}; }}), "frame -1"));
  CHECK(says(error_of({[](Clip& c, Random&) { c.frames = {{0, 1}, {0}}; }}), "clips of 2 and of 1 frames"));
  CHECK(says(error_of({two_frames, [](Clip& c, Random&) { c.crops.clear(); }}), "no crop"));
  CHECK(says(error_of({two_frames, [](Clip& c, Random&) { c.crops[0].crop.x = 1; }}), "does not hold"));
  CHECK(says(error_of({two_frames, [](Clip& c, Random&) { c.crops[0].crop.width = 0; }}), "does not hold"));
  CHECK(says(error_of({two_frames, [](Clip& c, Random&) { c.crops[0].out_width = 0; }}), "does not hold"));
  CHECK(says(error_of({two_frames,
                       [](Clip& c, Random&) {
                         c.crops.push_back(c.crops[0]);
                         c.crops[1].out_width = 3;
                       }}),
             "crops of 16x8 and of 3x8"));
}

TEST_CASE("an empty video is bad data, not a bad recipe") {
  CHECK_THROWS_AS(plan({two_frames}, {.frames = 0, .width = 16, .height = 8}), DataError);
}

TEST_CASE("an exception of a transform tells its place and type and keeps its class") {
  Registry registry;
  registry.add<Transform, Thrower>("Thrower", "throws");
  const auto run = [&](const char* what) {
    Value step = Value::table();
    step.set("type", "Thrower");
    step.set("what", what);
    const Value list = Value::Array{step};
    std::vector<Part<Transform>> parts;
    Diagnostics problems;
    ReadContext context{registry, problems, "data.train.pipeline"};
    ParamType<std::vector<Part<Transform>>>::read(list, parts, {}, context);
    problems.throw_if_any();
    const auto pipeline = data::make_pipeline(parts, {});
    Clip clip;
    Random random(0, 0, 0);
    pipeline.at(0)->apply(clip, random);
  };
  CHECK_THROWS_AS(run("data"), DataError);
  CHECK_THROWS_AS(run("media"), DataError);
  CHECK_THROWS_AS(run("usage"), UsageError);
  CHECK_THROWS_WITH(run("standard"), "data.train.pipeline.0: Thrower: s");
  CHECK_THROWS_WITH(run("usage"), "data.train.pipeline.0: Thrower: u");
  CHECK_THROWS_AS(run("other"), Error);
  try {
    run("standard");
  } catch (const DataError&) {
    FAIL("a defect of a transform must not count as a bad file");
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::failure);
  }
}
