#include "datasets/recorded_draws.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/plugin_component.hpp"
#include "transforms/random_resized_crop.hpp"
#include "transforms/resize.hpp"
#include "transforms/three_crop.hpp"

#include <marey/core/error.hpp>
#include <marey/data/geometry.hpp>
#include <marey/data/transform.hpp>

#include <cmath>
#include <map>
#include <set>

using namespace marey;
using data::Clip;
using media::FrameGeometry;
using test::contains;
using test::message_of;
using test::Plugin;

namespace {

Clip clip_of(int width, int height) {
  Clip clip;
  clip.info = {.frames = 50, .width = width, .height = height, .fps = 25};
  clip.crops = {data::whole_frame(clip.info)};
  clip.frames = {{0, 1, 2, 3, 4}, {10, 11, 12, 13, 14}};
  clip.labels = {1};
  clip.training = true;
  return clip;
}

Clip applied(const std::shared_ptr<Transform>& transform, Clip clip, std::uint64_t index = 0) {
  Random random(3, 0, index);
  transform->apply(clip, random);
  return clip;
}

}  // namespace

TEST_CASE("Resize: sizes of both zoos") {
  // height, width, short side; then height and width of PySlowFast and of MMAction2.
  const int cases[][7] = {{240, 320, 256, 256, 341, 256, 341},   {240, 320, 320, 320, 426, 320, 427},
                          {240, 320, 182, 182, 242, 182, 243},   {256, 340, 256, 256, 340, 256, 340},
                          {256, 340, 224, 224, 297, 224, 298},   {360, 202, 320, 570, 320, 570, 320},
                          {1080, 1920, 320, 320, 568, 320, 569}, {1080, 1920, 224, 224, 398, 224, 398},
                          {101, 99, 256, 261, 256, 261, 256},    {101, 99, 224, 228, 224, 229, 224},
                          {320, 240, 320, 426, 320, 427, 320},   {320, 240, 224, 298, 224, 299, 224}};
  Plugin plugin("transforms");
  for (const auto& c : cases) {
    INFO(c[0] << "x" << c[1] << " to " << c[2]);
    CHECK(datasets::short_side_size(c[1], c[0], c[2], true) == std::pair(c[4], c[3]));
    CHECK(datasets::short_side_size(c[1], c[0], c[2], false) == std::pair(c[6], c[5]));
    const auto g =
        applied(plugin.make<Transform>("Resize", {{"size", c[2]}}), clip_of(c[1], c[0])).crops.at(0);
    CHECK(g == FrameGeometry{.crop = {0, 0, double(c[1]), double(c[0])},
                             .out_width = c[6],
                             .out_height = c[5],
                             .scaling = media::Scaling::fast});
  }
}

TEST_CASE("Resize: a square, a drawn size") {
  Plugin plugin("transforms");
  const auto square =
      applied(plugin.make<Transform>("Resize", {{"size", 112}, {"keep_ratio", false}}), clip_of(320, 240));
  CHECK(square.crops.at(0).out_width == 112);
  CHECK(square.crops.at(0).out_height == 112);
  CHECK(square.crops.at(0).crop.width == 320);
  const auto drawn = plugin.make<Transform>("Resize", {{"size", 10}, {"max_size", 12}});
  std::set<int> seen;
  for (std::uint64_t i = 0; i < 100; ++i)
    seen.insert(applied(drawn, clip_of(100, 50), i).crops.at(0).out_height);
  CHECK(seen == std::set<int>({10, 11, 12}));
  CHECK(contains(plugin.problem<Transform>("Resize", {{"size", 10}, {"max_size", 9}}),
                 "max_size lies below size"));
  CHECK(contains(plugin.problem<Transform>("Resize", {}), "size"));
}

TEST_CASE("CenterCrop, RandomCrop: places and what does not fit") {
  Plugin plugin("transforms");
  const auto centre = plugin.make<Transform>("CenterCrop", {{"size", 224}});
  CHECK(applied(centre, clip_of(341, 256)).crops.at(0).crop == media::Rect{58, 16, 224, 224});
  CHECK(applied(centre, clip_of(257, 341)).crops.at(0).crop == media::Rect{16, 58, 224, 224});
  CHECK(contains(message_of<DataError>([&] { applied(centre, clip_of(341, 223)); }),
                 "a crop of 224x224 does not fit into a picture of 341x223; put a Resize before it"));
  const auto random = plugin.make<Transform>("RandomCrop", {{"size", 10}});
  std::set<double> lefts;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto g = applied(random, clip_of(12, 11), i).crops.at(0);
    lefts.insert(g.crop.x);
    REQUIRE(g.crop.y <= 1);
  }
  CHECK(lefts == std::set<double>({0, 1, 2}));  // the last place too
}

TEST_CASE("ThreeCrop: places of both zoos") {
  using Places = std::array<std::pair<int, int>, 3>;  // left, top
  CHECK(datasets::three_places(341, 256, 256, true) == Places{{{0, 0}, {84, 0}, {42, 0}}});
  CHECK(datasets::three_places(256, 341, 256, true) == Places{{{0, 0}, {0, 84}, {0, 42}}});
  CHECK(datasets::three_places(341, 256, 224, false) == Places{{{0, 16}, {59, 16}, {117, 16}}});
  CHECK(datasets::three_places(341, 256, 256, false) == Places{{{0, 0}, {43, 0}, {85, 0}}});
  CHECK(datasets::three_places(256, 341, 256, false) == Places{{{0, 0}, {0, 43}, {0, 85}}});
  CHECK(datasets::three_places(301, 255, 224, false) == Places{{{0, 16}, {39, 16}, {77, 16}}});
  CHECK(datasets::three_places(258, 257, 225, false) == Places{{{0, 16}, {17, 16}, {33, 16}}});
  Plugin plugin("transforms");
  const auto clip = applied(plugin.make<Transform>("ThreeCrop", {{"size", 256}}), clip_of(341, 256));
  REQUIRE(clip.crops.size() == 3);
  CHECK(clip.views() == 6);
  CHECK(clip.crops[1].crop == media::Rect{84, 0, 256, 256});
}

TEST_CASE("TenCrop: corners and middle, each with its mirror image") {
  Plugin plugin("transforms");
  const auto clip = applied(plugin.make<Transform>("TenCrop", {{"size", 224}}), clip_of(343, 256));
  REQUIRE(clip.crops.size() == 10);
  CHECK(clip.views() == 20);
  const std::pair<double, double> places[] = {{0, 0}, {116, 0}, {0, 32}, {116, 32}, {58, 16}};
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(clip.crops[i].crop == media::Rect{places[i / 2].first, places[i / 2].second, 224, 224});
    CHECK(clip.crops[i].flip == (i % 2 == 1));
  }
  CHECK(contains(message_of<DataError>([&] {
                   applied(plugin.make<Transform>("TenCrop", {{"size", 224}}), clip_of(341, 223));
                 }),
                 "does not fit"));
}

TEST_CASE("UniformCrop: one of three squares") {
  Plugin plugin("transforms");
  const auto place = [&](const char* position, int width, int height) {
    return applied(plugin.make<Transform>("UniformCrop", {{"size", 256}, {"position", position}}),
                   clip_of(width, height))
        .crops.at(0)
        .crop;
  };
  CHECK(place("first", 341, 256) == media::Rect{0, 0, 256, 256});
  CHECK(place("middle", 341, 256) == media::Rect{43, 0, 256, 256});
  CHECK(place("last", 341, 256) == media::Rect{85, 0, 256, 256});
  CHECK(place("last", 256, 341) == media::Rect{0, 85, 256, 256});
}

TEST_CASE("RandomShortSide: each rule gives its sizes, and the long side follows") {
  Plugin plugin("transforms");
  const auto sizes = [&](const char* distribution) {
    std::map<int, int> counts;
    const auto t = plugin.make<Transform>(
        "RandomShortSide", {{"min_size", 100}, {"max_size", 200}, {"distribution", distribution}});
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const auto g = applied(t, clip_of(320, 240), i).crops.at(0);
      ++counts[g.out_height];
      REQUIRE(g.out_width == static_cast<int>(320.0 / 240 * g.out_height));
    }
    CHECK(counts.begin()->first >= 100);
    CHECK(counts.rbegin()->first <= 200);
    int small = 0;
    for (const auto& [size, count] : counts) small += size < 150 ? count : 0;
    return small / 3000.0;
  };
  CHECK(sizes("uniform") == Approx(0.5).margin(0.05));
  CHECK(sizes("integer") == Approx(0.5).margin(0.05));
  // (1/100 - 1/150) / (1/100 - 1/200)
  CHECK(sizes("inverse") == Approx(2.0 / 3).margin(0.05));
  CHECK(contains(plugin.problem<Transform>("RandomShortSide", {{"min_size", 10}, {"max_size", 9}}),
                 "max_size lies below min_size"));
}

TEST_CASE("scaling: the last transform that scales decides") {
  Plugin plugin("transforms");
  CHECK(clip_of(320, 240).crops[0].scaling == media::Scaling::precise);
  auto clip =
      applied(plugin.make<Transform>("Resize", {{"size", 100}, {"scaling", "cv2"}}), clip_of(320, 240));
  CHECK(clip.crops[0].scaling == media::Scaling::cv2);
  clip = applied(plugin.make<Transform>("CenterCrop", {{"size", 64}}), clip);
  CHECK(clip.crops[0].bounds == media::Rect{0, 0, 320, 240});
  clip = applied(plugin.make<Transform>("Resize", {{"size", 50}}), clip);
  CHECK(clip.crops[0].scaling == media::Scaling::fast);
}

TEST_CASE("RandomResizedCrop: PySlowFast's areas from its draws") {
  using datasets::Area;
  struct Case {
    int height, width;
    std::deque<double> draws;
    Area area;
  };
  const Case cases[] = {{256, 340, {0.15016048847274877, 0.11320766982993546, 24, 54}, {54, 24, 123, 154}},
                        {256, 340, {0.06118289136733446, 0.9256895873084187, 27, 184}, {184, 27, 123, 96}},
                        {256,
                         340,
                         {0.8315891538637918, 0.024355975165145205, 0.8918375706387542, 0.6091841443327506,
                          0.7227560292877264, 0.9464559837000901, 14, 24},
                         {24, 14, 290, 224}},
                        {340, 256, {0.9123985322810179, 0.0366391456152495, 16, 8}, {8, 16, 248, 323}},
                        {64,
                         300,
                         {0.13290220337122516, 0.09862237271650098, 0.7537024733099185, 0.8830417116304187,
                          0.47694336134411996, 0.17540810242506844, 0.9939387350528185, 0.3183059059716926,
                          0.03271494825925503, 0.20613677684133114, 1, 195},
                         {195, 1, 42, 50}}};
  for (const auto& c : cases) {
    test::RecordedDraws random(c.draws);
    CHECK(datasets::random_area(c.width, c.height, {0.08, 1.0}, {0.75, 1.3333}, false, random) == c.area);
    CHECK(random.used_up());
  }
}

TEST_CASE("RandomResizedCrop: ranges, output and fallback") {
  using datasets::Area;
  CHECK(datasets::fallback_area(340, 90, {0.75, 4.0 / 3}, true) == Area{125, 0, 90, 90});
  CHECK(datasets::fallback_area(340, 90, {0.75, 4.0 / 3}, false) == Area{110, 0, 120, 90});
  CHECK(datasets::fallback_area(90, 340, {0.75, 4.0 / 3}, false) == Area{0, 110, 90, 120});
  CHECK(datasets::fallback_area(100, 90, {0.75, 4.0 / 3}, false) == Area{0, 0, 100, 90});
  Plugin plugin("transforms");
  const auto crop = plugin.make<Transform>(
      "RandomResizedCrop",
      {{"size", 56}, {"area_range", Value::Array{0.25, 0.5}}, {"aspect_range", Value::Array{0.8, 1.25}}});
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto g = applied(crop, clip_of(160, 120), i).crops.at(0);
    REQUIRE(g.out_width == 56);
    REQUIRE(g.out_height == 56);
    const double share = g.crop.width * g.crop.height / (160 * 120), aspect = g.crop.width / g.crop.height;
    REQUIRE((share > 0.24 && share < 0.51));
    REQUIRE((aspect > 0.78 && aspect < 1.28));
    REQUIRE((g.crop.x >= 0 && g.crop.y >= 0 && g.crop.x + g.crop.width <= 160 &&
             g.crop.y + g.crop.height <= 120));
  }
  const auto unscaled = applied(plugin.make<Transform>("RandomResizedCrop"), clip_of(160, 120)).crops.at(0);
  CHECK(unscaled.out_width == unscaled.crop.width);
  CHECK(contains(plugin.problem<Transform>("RandomResizedCrop", {{"area_range", Value::Array{0.9, 0.1}}}),
                 "lesser end first"));
}

TEST_CASE("Flip: mirrors all views, and labels that have a mirror") {
  Plugin plugin("transforms");
  const auto always = plugin.make<Transform>(
      "Flip",
      {{"probability", 1}, {"label_map", test::table({{"left", "right"}, {"right", "left"}, {"up", "up"}})}});
  always->prepare({"left", "right", "up", "down"});
  auto clip = clip_of(20, 10);
  clip.crops.push_back(data::cropped(clip.crops[0], {0, 0, 20, 10}));
  for (const auto& [label, mirrored] : {std::pair(0, 1), std::pair(1, 0), std::pair(2, 2), std::pair(3, 3)}) {
    clip.labels = {label};
    const auto out = applied(always, clip);
    CHECK(out.labels == std::vector<std::int64_t>{mirrored});
    CHECK(out.crops[0].flip);
    CHECK(out.crops[1].flip);
  }
  const auto half = plugin.make<Transform>("Flip", {{"label_map", test::table({{"0", "1"}, {"1", "0"}})}});
  half->prepare({});
  int flips = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto out = applied(half, clip_of(20, 10), i);
    flips += out.crops[0].flip;
    REQUIRE(out.labels[0] == (out.crops[0].flip ? 0 : 1));
  }
  CHECK(std::abs(flips - 500) < 80);
}

TEST_CASE("Flip: classes that are unknown or have no way back are refused") {
  Plugin plugin("transforms");
  const auto message = [&](std::initializer_list<std::pair<const char*, Value>> map,
                           const std::vector<std::string>& names) {
    const auto flip = plugin.make<Transform>("Flip", {{"label_map", test::table(map)}});
    return message_of<UsageError>([&] { flip->prepare(names); });
  };
  const std::vector<std::string> names = {"left", "right"};
  CHECK(contains(message({{"left", "rihgt"}}, names), "no class is called 'rihgt'; did you mean 'right'?"));
  CHECK(contains(message({{"left", "2"}}, names), "no class is called '2'"));
  CHECK(contains(message({{"left", "right"}}, {}), "'left' is no class index"));
  CHECK(contains(message({{"left", "right"}}, names), "but not back"));
  CHECK(message({{"0", "right"}, {"right", "left"}}, names).empty());
  CHECK(message({}, {}).empty());
}

TEST_CASE("RepeatFrame: one frame of each clip stands for all") {
  Plugin plugin("transforms");
  const auto middle = applied(plugin.make<Transform>("RepeatFrame"), clip_of(20, 10));
  CHECK(middle.frames == std::vector<std::vector<std::int64_t>>{{2, 2, 2, 2, 2}, {12, 12, 12, 12, 12}});
  const auto random = plugin.make<Transform>("RepeatFrame", {{"frame", "random"}});
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto clip = applied(random, clip_of(20, 10), i);
    REQUIRE(std::set<std::int64_t>(clip.frames[1].begin(), clip.frames[1].end()).size() == 1);
    seen.insert(clip.frames[1][0]);
  }
  CHECK(seen == std::set<std::int64_t>({10, 11, 12, 13, 14}));
  auto empty = clip_of(20, 10);
  empty.frames.clear();
  CHECK_THROWS_AS(applied(random, empty), UsageError);
}

TEST_CASE("SampleFrames: clips, and parameters that do not go together") {
  Plugin plugin("transforms");
  auto clip = clip_of(20, 10);
  clip.training = false;
  const auto even =
      plugin.make<Transform>("SampleFrames", {{"clip_len", 2}, {"interval", 3}, {"num_clips", 2}});
  CHECK(applied(even, clip).frames == std::vector<std::vector<std::int64_t>>{{0, 3}, {46, 49}});
  clip.training = true;
  std::set<std::int64_t> starts;
  const auto one = plugin.make<Transform>("SampleFrames", {{"clip_len", 8}, {"interval", 6}});
  for (std::uint64_t i = 0; i < 100; ++i) starts.insert(applied(one, clip, i).frames.at(0).at(0));
  CHECK(starts == std::set<std::int64_t>({0, 1, 2}));
  CHECK(contains(plugin.problem<Transform>("SampleFrames", {{"clip_len", 8}, {"twice_sample", true}}),
                 "twice_sample"));
  CHECK(contains(plugin.problem<Transform>("SampleFrames", {{"interval", 8}}), "clip_len"));
  CHECK(contains(plugin.problem<Transform>("SampleFrames", {{"clip_len", 8}, {"spacing", "stretched"}}),
                 "did you mean 'stretch'"));
}
