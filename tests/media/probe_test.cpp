// What probing says of every file of the corpus, and of small clips.
#include "media/test_clip.hpp"
#include "media/video_corpus.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/media/probe.hpp>

#include <cmath>
#include <set>

using namespace marey;

namespace {

bool is_damaged(const nlohmann::json& file) {
  return file.value("decode_messages", 0) > 0 || file["file"].get<std::string>().starts_with("trunc");
}

const nlohmann::json& chosen_stream(const nlohmann::json& file, int stream) {
  if (file["stream_index"] == stream || !file.contains("other_video_streams")) return file;
  for (const auto& other : file["other_video_streams"])
    if (other["stream_index"] == stream) return other;
  return file;
}

}  // namespace

TEST_CASE("probe: the corpus' exact counts, times, planes and colours") {
  const auto index = test::video_index();
  if (!index) {
    WARN("skipped: no corpus of videos at " << test::video_folder().string() << " (set MAREY_VIDEOS)");
    return;
  }
  int files = 0, frames = 0;
  for (const auto& entry : (*index)["files"]) {
    if (!entry.contains("nb_frames_exact") || !entry["nb_frames_exact"].is_number()) continue;
    const auto path = test::video_folder() / entry["file"].get<std::string>();
    INFO(path.filename().string());
    const int stream = media::probe_video(path).stream;
    const auto& file = chosen_stream(entry, stream);
    std::vector<std::int64_t> asked;
    for (const auto& f : file["frames"]) asked.push_back(f["n"].get<std::int64_t>());
    if (is_damaged(entry)) {  // what a decoder makes of damage is its own affair
      CHECK(media::probe_video(path).damage.any());
      continue;
    }
    const auto probe = media::probe_video(path, asked, {.rotate = false});
    CHECK(probe.damage.words() == "");
    CHECK(probe.frames == file["nb_frames_exact"].get<std::int64_t>());
    CHECK(probe.codec == file["codec"].get<std::string>());
    CHECK(probe.container == file["container"].get<std::string>());
    CHECK(probe.pixel_format == file["pix_fmt"].get<std::string>());
    CHECK(probe.rotation == file["rotation"].get<int>());
    CHECK(probe.time_base == file["time_base"].get<std::string>());
    if (file["header_nb_frames"].is_string())
      CHECK(probe.header_frames == std::stoll(file["header_nb_frames"].get<std::string>()));
    REQUIRE(probe.shown.size() == asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto& expected = file["frames"][i];
      const auto& got = probe.shown[i];
      INFO("frame " << got.index);
      CHECK(got.planes_md5 == expected["native_md5"].get<std::string>());
      if (expected["pts"].is_number()) CHECK(got.pts == expected["pts"].get<std::int64_t>());
      for (std::size_t c = 0; c < 3; ++c)
        CHECK(std::abs(got.rgb_mean[c] - expected["rgb_mean"][c].get<double>()) <= 3);
      ++frames;
    }
    ++files;
  }
  INFO(files << " files, " << frames << " frames");
  CHECK(files > 0);
}

TEST_CASE("probe: frames from the end, repeated ones, and what is not there") {
  test::TemporaryFolder folder;
  const auto clip =
      test::write_clip(folder.path() / "a.mp4", 20, {.width = 48, .height = 32, .fps = 20, .gop = 8});
  const std::vector<std::int64_t> asked{-1, 0, 19, 0};
  const auto probe = media::probe_video(clip, asked);
  CHECK(probe.frames == 20);
  CHECK(probe.header_frames == 20);
  CHECK(probe.key_frames == 3);
  CHECK(probe.fps == Approx(20));
  CHECK(probe.duration_seconds == Approx(1));
  CHECK_FALSE(probe.damage.any());
  REQUIRE(probe.shown.size() == 4);
  CHECK(probe.shown[0].index == 19);
  CHECK(probe.shown[0].planes_md5 == probe.shown[2].planes_md5);
  CHECK(probe.shown[1].key);
  CHECK_FALSE(probe.shown[0].key);
  CHECK(probe.shown[0].seconds == Approx(0.95));
  CHECK(probe.shown[1].rgb_md5 != probe.shown[0].rgb_md5);
  const std::vector<std::int64_t> beyond{20};
  CHECK_THROWS_AS(media::probe_video(clip, beyond), media::MediaError);
}

TEST_CASE("probe: a clip that is cut or overwritten is called damaged") {
  test::TemporaryFolder folder;
  const auto clip = test::write_clip(folder.path() / "a.avi", 40,
                                     {.width = 96, .height = 64, .fps = 20, .codec = "mpeg4", .quality = 3});
  CHECK_FALSE(media::check_video(clip).damage.any());
  CHECK(media::check_video(clip).frames == 40);
  std::filesystem::resize_file(clip, std::filesystem::file_size(clip) / 2);
  const auto cut = media::check_video(clip);
  CHECK(cut.frames < 40);
  CHECK(cut.damage.missing_frames > 0);
  CHECK(cut.damage.words().find("frames missing") != std::string::npos);
}
