// Walks all files of the corpus: counts, sizes and pixels as the ffmpeg program gives them, and any order of
// reading gives the same bytes as the order of showing.
#include "media/frames.hpp"
#include "media/video_corpus.hpp"
#include "support/catch.hpp"

#include <marey/core/random.hpp>

extern "C" {
#include <libavutil/md5.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <map>

using namespace marey;

namespace {

std::string md5(const test::Pixels& bytes) {
  std::uint8_t sum[16];
  av_md5_sum(sum, bytes.data(), static_cast<int>(bytes.size()));
  std::string text;
  for (auto b : sum) text += fmt::format("{:02x}", b);
  return text;
}

bool holds_video(const nlohmann::json& file) {
  const auto count = file.find("nb_frames_exact");
  return count != file.end() && count->is_number();
}

template <class Check>
void each_file(Check check) {
  const auto index = test::video_index();
  if (!index) {
    WARN("skipped: no corpus of videos at " << test::video_folder().string() << " (set MAREY_VIDEOS)");
    return;
  }
  for (const auto& file : (*index)["files"]) {
    const auto path = test::video_folder() / file["file"].get<std::string>();
    INFO(path.filename().string());
    check(file, path);
  }
}

// `counter_clockwise` is the angle as ffprobe prints it: 90 or -90.
void check_turned(int counter_clockwise, media::VideoReader& stored, media::VideoReader& shown,
                  std::int64_t n) {
  const auto s = stored.info(), t = shown.info();
  REQUIRE((t.width == s.height && t.height == s.width));
  const auto from = test::read_frame(stored, n), to = test::read_frame(shown, n);
  int wrong = 0;
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x) {
      const int p = counter_clockwise > 0 ? s.width - 1 - y : y,
                q = counter_clockwise > 0 ? x : s.height - 1 - x;
      for (int c = 0; c < 3; ++c) wrong += to[(y * t.width + x) * 3 + c] != from[(q * s.width + p) * 3 + c];
    }
  CHECK(wrong == 0);
}

// What is known about the stream that is shown: the largest of several.
const nlohmann::json& shown_stream(const nlohmann::json& file) {
  const auto area = [](const nlohmann::json& s) { return s["width"].get<int>() * s["height"].get<int>(); };
  const nlohmann::json* best = &file;
  if (const auto others = file.find("other_video_streams"); others != file.end())
    for (const auto& other : *others)
      if (area(other) > area(*best)) best = &other;
  return *best;
}

double seconds_per_tick(const nlohmann::json& stream) {
  const auto text = stream["time_base"].get<std::string>();
  return std::stod(text) / std::stod(text.substr(text.find('/') + 1));
}

}  // namespace

TEST_CASE("corpus: files without a video are refused by name and reason") {
  each_file([](const auto& file, const auto& path) {
    if (holds_video(file)) return;
    try {
      media::VideoReader reader(path);
      FAIL("opened with " << reader.info().frames << " frames");
    } catch (const media::MediaError& e) {
      CHECK(std::string(e.what()).find(path.filename().string()) != std::string::npos);
      CHECK(std::string(e.what()).size() > path.string().size() + 5);
    }
  });
}

TEST_CASE("corpus: true frame counts, sizes and pixels") {
  int exact = 0, compared = 0;
  each_file([&](const auto& entry, const auto& path) {
    if (!holds_video(entry)) return;
    const nlohmann::json& file = shown_stream(entry);
    media::VideoReader reader(path, {.rotate = false});
    CHECK(reader.info().frames == file["nb_frames_exact"].get<std::int64_t>());
    CHECK(reader.info().width == file["width"].get<int>());
    CHECK(reader.info().height == file["height"].get<int>());
    CHECK(reader.info().codec == file["codec"].get<std::string>());
    std::unique_ptr<media::VideoReader> turned;
    if (file["rotation"] != 0) turned = std::make_unique<media::VideoReader>(path);
    for (const auto& frame : file["frames"]) {
      const auto n = frame["n"].get<std::int64_t>();
      INFO("frame " << n);
      if (n >= reader.info().frames) continue;
      ++compared;
      const auto &first = file["frames"][0]["pts"], &pts = frame["pts"];
      if (first.is_number() && pts.is_number())
        CHECK(reader.pts_seconds(n) ==
              Approx((pts.get<double>() - first.get<double>()) * seconds_per_tick(file)).margin(1e-6));
      const bool same = md5(test::read_frame(reader, n)) == frame["rgb24_md5"].get<std::string>();
      exact += same;
      CHECK(same);
      if (turned) check_turned(file["rotation"].get<int>(), reader, *turned, n);
    }
  });
  if (compared > 0) CHECK(exact == compared);
}

TEST_CASE("corpus: every order of reading gives the same frames") {
  each_file([](const auto& file, const auto& path) {
    if (!holds_video(file)) return;
    media::VideoReader forward(path), other(path);
    const auto n = forward.info().frames;
    media::FrameGeometry small = test::whole(forward.info());
    small.out_width = small.out_height = 32;
    std::vector<std::int64_t> all(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    const auto expected = test::read_frames(forward, all, small);
    CHECK(forward.stats().seeks <= 2);
    CHECK(forward.stats().converted == n);
    const auto check = [&](const std::vector<std::int64_t>& indices) {
      const auto got = test::read_frames(other, indices, small);
      for (std::size_t i = 0; i < indices.size(); ++i) {
        INFO("frame " << indices[i] << " of " << n);
        CHECK(got[i] == expected[static_cast<std::size_t>(indices[i])]);
      }
    };
    Random random(7, 0, static_cast<std::uint64_t>(n));
    for (int k = 0; k < 6; ++k) check({random.integer(0, n - 1)});
    for (std::int64_t stride : {2, 5}) {  // as clips are sampled; drops frames that no other needs
      std::vector<std::int64_t> clip;
      for (std::int64_t i = random.integer(0, n / 2); i < n && clip.size() < 12; i += stride)
        clip.push_back(i);
      check(clip);
    }
    check({n - 1, 0, n / 2, n / 2});
  });
}
