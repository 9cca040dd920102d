// Reports (a): what users of other tools met while reading video files, each under its number.
#include "media/fixture_kit.hpp"
#include "media/frames.hpp"
#include "support/message_of.hpp"

#include <marey/core/random.hpp>
#include <marey/media/probe.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace marey;
using test::contains;
using test::FixtureKit;
using test::message_of;

namespace {

// The pictures of ident.* say their own number.
int number_in(const test::Pixels& p) {
  return static_cast<int>(std::lround(p[p.size() / 2] * 219.0 / 255 / 2));
}

std::vector<int> numbers(media::FrameSource& source, const std::vector<std::int64_t>& indices) {
  std::vector<int> out;
  for (const auto& p : test::read_frames(source, indices, test::whole(source.info())))
    out.push_back(number_in(p));
  return out;
}

std::vector<std::int64_t> all_of(const media::FrameSource& source) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(source.info().frames));
  std::iota(out.begin(), out.end(), std::int64_t{0});
  return out;
}

void check_identity(media::FrameSource& source, int first) {
  std::vector<std::int64_t> order = all_of(source);
  Random random(3, 0, 0);
  for (int round = 0; round < 3; ++round) {
    const auto got = numbers(source, order);
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(got[i] == first + order[i]);
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
  }
  for (int k = 0; k < 200; ++k) {
    const std::int64_t i = random.integer(0, source.info().frames - 1);
    CHECK(numbers(source, {i}).front() == first + i);
  }
}

std::array<double, 3> mean(const std::uint8_t* pixels, std::size_t bytes) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < bytes; ++i) sum[i % 3] += pixels[i];
  for (double& s : sum) s /= static_cast<double>(bytes) / 3;
  return sum;
}

}  // namespace

TEST_CASE("A1: every frame by index is that frame, in any order") {
  FixtureKit kit;
  if (!kit) return;
  for (const char* name : {"ident.mp4", "ident.mkv"}) {
    INFO(name);
    media::VideoReader reader(kit.get(name));
    REQUIRE(reader.info().frames == 100);
    check_identity(reader, 0);
  }
}

TEST_CASE("A2: a batch after another one equals that of a fresh reader") {
  FixtureKit kit;
  if (!kit) return;
  for (const char* name : {"ident.mp4", "ident.mkv", "ident.webm"}) {
    INFO(name);
    const auto path = kit.get(name);
    media::VideoReader used(path), fresh(path);
    const std::vector<std::int64_t> early{10, 11, 12, 13, 14}, late{90, 91, 92, 93, 94};
    const auto whole = test::whole(used.info());
    test::read_frames(used, early, whole);
    CHECK(test::read_frames(used, late, whole) == test::read_frames(fresh, late, whole));
    CHECK(test::read_frames(used, early, whole) == test::read_frames(fresh, early, whole));
  }
}

TEST_CASE("A3: a header that promises more frames than there are") {
  FixtureKit kit;
  if (!kit) return;
  const auto fast = kit.get("fast.mp4");
  const auto trunc = test::cut(fast, "trunc.mp4", std::filesystem::file_size(fast) * 3 / 5);
  media::VideoReader reader(trunc, {.time_limit_seconds = 2});
  REQUIRE(reader.info().frames < 50);
  CHECK(static_cast<std::size_t>(reader.info().frames) == kit.rgb("trunc.mp4").size() / (64 * 48 * 3));
  CHECK_FALSE(test::read_frame(reader, reader.info().frames - 1).empty());
  CHECK_THROWS_AS(test::read_frame(reader, 49), media::MediaError);
  CHECK(media::VideoReader(kit.get("longaudio.mkv")).info().frames == 25);
}

TEST_CASE("A4: an edit list that hides the first frames") {
  FixtureKit kit;
  if (!kit) return;
  media::VideoReader reader(kit.get("ident_trim.mp4"));
  REQUIRE(reader.info().frames == 87);
  check_identity(reader, 13);
}

TEST_CASE("A6: an avi without presentation times") {
  FixtureKit kit;
  if (!kit) return;
  media::VideoReader reader(kit.get("nopts.avi"));
  REQUIRE(reader.info().frames == 50);
  const auto frames = test::read_frames(reader, all_of(reader), test::whole(reader.info()));
  // The encoder repeats some pictures of the source; which ones, the ffmpeg program tells.
  const auto expected = kit.rgb("nopts.avi");
  const std::size_t bytes = frames[0].size();
  REQUIRE(expected.size() == 50 * bytes);
  for (std::size_t i = 1; i < 50; ++i) {
    const auto at = expected.begin() + static_cast<std::ptrdiff_t>(i * bytes);
    CHECK((frames[i] == frames[i - 1]) ==
          std::equal(at, at + static_cast<std::ptrdiff_t>(bytes), at - static_cast<std::ptrdiff_t>(bytes)));
  }
  CHECK(test::read_frames(reader, {48, 49}, test::whole(reader.info())) ==
        std::vector<test::Pixels>{frames[48], frames[49]});
  media::VideoReader ident(kit.get("ident.avi"));
  REQUIRE(ident.info().frames == 100);
  check_identity(ident, 0);
}

TEST_CASE("A7: files that do not say how many frames they hold") {
  FixtureKit kit;
  if (!kit) return;
  for (const char* name : {"base.mkv", "live.mkv", "base.ts", "off5.ts"}) {
    INFO(name);
    const media::VideoReader reader(kit.get(name));
    CHECK(reader.info().frames == 50);
    CHECK(reader.info().fps == Approx(25).epsilon(0.01));
    CHECK(reader.info().duration_seconds == Approx(2).epsilon(0.03));
  }
  media::VideoReader middle(kit.get("nokey.ts"));  // begins between key frames
  CHECK(middle.info().frames >= 25);
  CHECK_FALSE(test::read_frame(middle, middle.info().frames - 1).empty());
}

TEST_CASE("A8: a variable frame rate") {
  FixtureKit kit;
  if (!kit) return;
  const media::VideoReader reader(kit.get("vfr.mp4"));
  REQUIRE(reader.info().frames == 50);
  CHECK(reader.info().fps == Approx(49 / 3.9));  // the mean of the times that there are
  CHECK(media::probe_video(kit.get("vfr.mp4")).header_fps == Approx(12.9).margin(0.1));
  for (int i = 0; i < 50; ++i)
    CHECK(reader.pts_seconds(i) == Approx(i <= 30 ? i / 15.0 : 2 + (i - 30) / 10.0).margin(0.001));
  for (int second = 0; second < 4; ++second) {
    const auto i = reader.frame_at(second);
    CHECK(std::abs(reader.pts_seconds(i) - second) <= 0.05);
  }
}

TEST_CASE("A10: the rotation that a phone notes") {
  FixtureKit kit;
  if (!kit) return;
  media::VideoReader shown(kit.get("rot90.mp4")), stored(kit.get("rot90.mp4"), {.rotate = false});
  CHECK(stored.info().width == 64);
  REQUIRE(shown.info().width == 48);
  REQUIRE(shown.info().height == 64);
  const auto expected = kit.rgb("rot90.mp4");
  const std::size_t bytes = 48 * 64 * 3;
  REQUIRE(expected.size() == 50 * bytes);
  for (const std::int64_t i : {0, 17, 49}) {
    const auto got = test::read_frame(shown, i);
    std::size_t far = 0;  // at edges of colour: ffmpeg turns before it interpolates, we after
    double sum = 0;
    for (std::size_t k = 0; k < bytes; ++k) {
      const int off = std::abs(int{got[k]} - int{expected[static_cast<std::size_t>(i) * bytes + k]});
      far += off > 2;
      sum += off;
    }
    CHECK(far * 100 < bytes);
    CHECK(sum / static_cast<double>(bytes) < 0.1);
  }
}

TEST_CASE("A11: full range, BT.709 and 10 bits") {
  FixtureKit kit;
  if (!kit) return;
  for (const char* name : {"full.mp4", "ten.mp4", "ten_full.mp4"}) {
    INFO(name);
    media::VideoReader reader(kit.get(name));
    const auto expected = kit.rgb(name);
    const auto got = test::read_frame(reader, 0);
    REQUIRE(expected.size() >= got.size());
    const auto a = mean(got.data(), got.size()), b = mean(expected.data(), got.size());
    for (std::size_t c = 0; c < 3; ++c) CHECK(a[c] == Approx(b[c]).margin(3));
  }
}

TEST_CASE("A14: a cover picture is no video") {
  FixtureKit kit;
  if (!kit) return;
  const media::VideoReader reader(kit.get("cover.mp4"));
  CHECK(reader.info().frames == 50);
  CHECK(reader.info().width == 64);
  for (const char* name : {"audio_cover.m4a", "audio_only.mp4"}) {
    const auto path = kit.get(name);
    const auto message = message_of<media::MediaError>([&] { media::VideoReader r(path); });
    CHECK(contains(message, name));
    CHECK(contains(message, "holds no video"));
  }
}

TEST_CASE("A15, stubs: what failed downloads leave is refused by name") {
  FixtureKit kit;
  if (!kit) return;
  std::ofstream(kit.folder() / "empty.mp4");
  const auto moovless = test::cut(kit.get("base.mp4"), "moovless.mp4", 3000);
  for (const auto& path : {kit.folder() / "empty.mp4", kit.get("zero.mp4"), moovless})
    CHECK(contains(message_of<media::MediaError>([&] { media::VideoReader r(path); }),
                   path.filename().string()));
}

TEST_CASE("A19: the end of a file is told from an error") {
  FixtureKit kit;
  if (!kit) return;
  CHECK(media::check_video(kit.get("base.mp4")).damage.words().empty());
  const auto fast = kit.get("fast.mp4");
  const auto damage =
      media::check_video(test::cut(fast, "trunc.mp4", std::filesystem::file_size(fast) * 3 / 5)).damage;
  CHECK(damage.any());
  CHECK(damage.missing_frames > 0);
}

TEST_CASE("A23: one second is 25 frames, wherever it starts") {
  FixtureKit kit;
  if (!kit) return;
  const media::VideoReader reader(kit.get("ident.mp4"));
  for (int k = 0; k < 25; ++k) {
    const auto range = reader.frames_between(k / 25.0, k / 25.0 + 1);
    CHECK(range.begin == k);
    CHECK(range.end == k + 25);
  }
  CHECK(reader.frames_between(3.98, 9).end == 100);
  CHECK(reader.frames_between(9, 10).begin == reader.frames_between(9, 10).end);
  CHECK(reader.frame_at(-1) == 0);
  CHECK(reader.frame_at(0.05) == 1);
  CHECK(reader.frame_at(99) == 99);
}

TEST_CASE("A27: nothing is decoded that nobody asked for") {
  FixtureKit kit;
  if (!kit) return;
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    long total = 0, pages = 0;
    file >> total >> pages;
    return pages * 4096L;
  };
  const auto path = kit.get("onegop.mp4");
  const long before = resident();
  media::VideoReader reader(path);
  CHECK(reader.info().frames == 1500);
  test::read_frame(reader, 0);
  CHECK(reader.stats().decoded < 100);
  CHECK(resident() - before < 64L << 20);
}

TEST_CASE("A31: names that look like something else") {
  FixtureKit kit;
  if (!kit) return;
  const auto base = kit.get("base.mp4");
  for (const char* name :
       {"a b, c (31) ünï 动作.mp4", "12:30.mp4", "pct%03d.mp4", "-dash.mp4", "http:.mp4", "x?y#z.mp4"}) {
    INFO(name);
    const auto path = kit.folder() / name;
    std::filesystem::copy_file(base, path);
    CHECK(media::VideoReader(path).info().frames == 50);
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    CHECK(media::VideoReader(path, {.part = media::FilePart{0, size, name}}).info().frames == 50);
  }
}

TEST_CASE("A32: alpha, gif, interlaced") {
  FixtureKit kit;
  if (!kit) return;
  const std::pair<const char*, int> files[] = {
      {"anim.gif", 10}, {"alpha.mov", 10}, {"alpha.webm", 10}, {"inter.mpg", 25}};
  for (const auto& [name, frames] : files) {
    INFO(name);
    media::VideoReader reader(kit.get(name));
    CHECK(reader.info().frames == frames);
    CHECK(test::read_frame(reader, frames - 1).size() == 64 * 48 * 3);
  }
}
