#include "data/motion_scene.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/data/motion.hpp>
#include <marey/media/video_reader.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <sstream>

using namespace marey;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines(const fs::path& path) {
  std::istringstream text(read_file(path));
  std::vector<std::string> out;
  for (std::string line; std::getline(text, line);) out.push_back(line);
  return out;
}

data::MotionOptions small(const fs::path& out) {
  data::MotionOptions options;
  options.out = out;
  options.train_per_class = 9;
  options.val_per_class = 3;
  return options;
}

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out[fs::relative(entry.path(), folder).string()] = xxh3_file(entry.path());
  return out;
}

std::string refusal(const data::MotionOptions& options) {
  try {
    data::write_motion_dataset(options);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

double step(double from, double to, double period) {
  const double d = to - from;
  return d - period * std::round(d / period);
}

}  // namespace

TEST_CASE("motion: each class moves in its own way and in no other") {
  for (std::uint64_t k = 0; k < 50; ++k) {
    Random random(3, 0, k);
    const auto course = data::draw_course(random);
    for (int label = 0; label < 8; ++label) {
      const auto a = data::state_at(course, label, 10), b = data::state_at(course, label, 11);
      const double dx = step(a.x, b.x, data::motion_side), dy = step(a.y, b.y, data::motion_side);
      const double turn = step(a.angle, b.angle, 2 * std::numbers::pi);
      const double growth = b.radius / a.radius;
      INFO("class " << data::motion_classes[static_cast<std::size_t>(label)]);
      CHECK(dx == Approx(label == 0 ? -course.speed : label == 1 ? course.speed : 0).margin(1e-9));
      CHECK(dy == Approx(label == 2 ? -course.speed : label == 3 ? course.speed : 0).margin(1e-9));
      CHECK(turn == Approx(label == 4 ? course.turn : label == 5 ? -course.turn : 0).margin(1e-9));
      const bool wraps = growth > 1.5 || growth < 0.67;  // from the largest to the smallest and back
      if (!wraps) CHECK((growth > 1) - (growth < 1) == (label == 6) - (label == 7));
    }
  }
}

TEST_CASE("motion: place, size and angle are alike in every class at every moment") {
  for (int frame : {0, 13, 40})
    for (int label = 0; label < 8; ++label) {
      double x = 0, y = 0, radius = 0, angle = 0;
      constexpr int n = 4000;
      for (std::uint64_t k = 0; k < n; ++k) {
        Random random(5, static_cast<std::uint64_t>(label), k);
        const auto s = data::state_at(data::draw_course(random), label, frame);
        x += s.x / n;
        y += s.y / n;
        radius += std::log(s.radius) / n;
        angle += s.angle / n;
      }
      INFO("class " << label << " frame " << frame);
      CHECK(x == Approx(56).margin(2.2));
      CHECK(y == Approx(56).margin(2.2));
      CHECK(radius == Approx(std::log(std::sqrt(18.0 * 34.0))).margin(0.015));
      CHECK(angle == Approx(std::numbers::pi).margin(0.13));
    }
}

TEST_CASE("motion: the disc stands out from what lies behind it") {
  for (const auto split : {data::Split::train, data::Split::val})
    for (std::uint64_t k = 0; k < 24; ++k) {
      const Random random(11, 0, k, 7);
      Random same = random;
      const auto state = data::state_at(data::draw_course(same), 4, 0);
      std::vector<std::uint8_t> pixels(data::motion_side * data::motion_side * 3);
      data::MotionScene(4, split, {}, random).render(0, pixels.data());
      double on = 0, off = 0, on_count = 0, off_count = 0;
      for (int y = 0; y < data::motion_side; ++y)
        for (int x = 0; x < data::motion_side; ++x) {
          const double distance =
              std::hypot(step(state.x, x, data::motion_side), step(state.y, y, data::motion_side));
          const double light = pixels[static_cast<std::size_t>(y * data::motion_side + x) * 3 + 1];
          if (distance < state.radius - 1) on += light, ++on_count;
          if (distance > state.radius + 1) off += light, ++off_count;
        }
      CHECK(std::fabs(on / on_count - off / off_count) > 55);
    }
}

TEST_CASE("motion: a data set of readable clips, balanced in every respect, the same for the same seed") {
  test::TemporaryFolder folder;
  const auto options = small(folder.path() / "motion");
  std::int64_t last = 0;
  CHECK(data::write_motion_dataset(options, [&](std::int64_t done, std::int64_t total) {
    CHECK(total == 96);
    CHECK(done == ++last);
  }));
  CHECK(last == 96);
  CHECK(lines(options.out / "classes.txt").size() == 8);
  std::map<int, std::map<std::string, int>> kinds;  // per class
  for (const auto* split : {"train", "val"}) {
    const auto rows = lines(options.out / (std::string(split) + ".csv"));
    CHECK(rows.size() == (std::string(split) == "train" ? 72u : 24u));
    for (const auto& row : rows) {
      const auto space = row.find(' ');
      media::VideoReader reader(options.out / row.substr(0, space));
      const auto& info = reader.info();
      CHECK((info.width == 112 && info.height == 112 && info.frames >= 28 && info.frames <= 48));
      const auto kind =
          info.codec + " " + std::to_string(std::lround(info.fps)) + " " + std::to_string(info.frames);
      ++kinds[std::stoi(row.substr(space))][split + (" " + kind)];
    }
  }
  CHECK(kinds.size() == 8);
  CHECK(kinds[0].size() >= 9);
  for (const auto& [label, kind] : kinds) CHECK(kind == kinds[0]);

  auto again = options;
  again.out = folder.path() / "again";
  again.threads = 1;
  CHECK(data::write_motion_dataset(again));
  const auto one = contents(options.out), two = contents(again.out);
  CHECK(one.size() == two.size());
  for (const auto& [name, hash] : one) {
    INFO(name);
    CHECK((two.count(name) && two.at(name) == hash));
  }
  CHECK_FALSE(data::write_motion_dataset(again));  // it is there already

  again.seed = 8;
  CHECK(refusal(again).find("other options") != std::string::npos);
  again.out = folder.path() / "seed8";
  again.val_per_class = 1;
  CHECK(data::write_motion_dataset(again));
  CHECK(contents(again.out)["train/left_000.mp4"] != contents(options.out)["train/left_000.mp4"]);
}

TEST_CASE("motion: photos are split between train and val") {
  test::TemporaryFolder folder;
  fs::create_directories(folder.path() / "photos");
  for (int k = 0; k < 6; ++k) {
    media::Image photo{100, 96, {}};
    for (int i = 0; i < 100 * 96; ++i)
      for (int c = 0; c < 3; ++c) photo.pixels.push_back(static_cast<std::uint8_t>(i * (k + 3) / (c + 2)));
    media::write_png(folder.path() / "photos" / (std::to_string(k) + ".png"), photo);
  }
  const auto photos = data::load_photos(folder.path() / "photos");
  CHECK(photos.train.size() == 4);
  CHECK(photos.val.size() == 2);
  auto options = small(folder.path() / "out");
  options.photos = folder.path() / "photos";
  options.train_per_class = options.val_per_class = 1;
  CHECK(data::write_motion_dataset(options));
  fs::remove(folder.path() / "photos" / "5.png");
  options.out = folder.path() / "other";
  CHECK(refusal(options).find("6 are needed") != std::string::npos);
  options.photos = folder.path() / "nowhere";
  CHECK(refusal(options).find("no such folder") != std::string::npos);
}

TEST_CASE("motion: nothing of the user's is touched, and nothing half done is left") {
  test::TemporaryFolder folder;
  auto options = small(folder.path() / "mine");
  folder.write("mine/letter.txt", "dear");
  CHECK(refusal(options).find("holds other files") != std::string::npos);
  CHECK(fs::exists(options.out / "letter.txt"));
  options.out = folder.path() / "stopped";
  CHECK_THROWS_AS(data::write_motion_dataset(options,
                                             [](auto done, auto) {
                                               if (done == 3) throw Error("stop");
                                             }),
                  Error);
  CHECK_FALSE(fs::exists(options.out));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  options.val_per_class = 0;
  CHECK(refusal(options).find("at least one clip") != std::string::npos);
}
