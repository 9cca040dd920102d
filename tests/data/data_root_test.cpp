#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/data/data_root.hpp>

#include <array>

using namespace marey;
using data::lies_under;
using test::contains;
using test::message_of;

TEST_CASE("names inside the data root, and names that leave it") {
  for (const char* inside : {"a.mp4", "x/../a.mp4", "x/y/../../a.mp4", "..a/b..mp4", "a..", "...", "./a",
                             "/data/videos/a.mp4", "/data/./videos/x/../a.mp4", "//data/videos/a", "x/.."}) {
    INFO(inside);
    CHECK(lies_under("/data/videos", inside));
    CHECK(lies_under("/data/videos/", inside));
  }
  for (const char* outside : {"..", "../a", "x/../../a", "/etc/passwd", "/data/videos2/a",
                              "/data/videos/../a", "x/y/../../../a", "/", "/data"}) {
    INFO(outside);
    CHECK_FALSE(lies_under("/data/videos", outside));
    CHECK_FALSE(lies_under("/data/videos/", outside));
  }
}

TEST_CASE("a relative root is taken from the working folder") {
  const auto here = std::filesystem::current_path();
  CHECK(lies_under("videos", (here / "videos/a.mp4").string()));
  CHECK_FALSE(lies_under("videos", (here / "a.mp4").string()));
  CHECK(lies_under("", (here / "a.mp4").string()));
  CHECK_FALSE(lies_under("", "../a.mp4"));
}

TEST_CASE("rows that leave the data root are refused in one go") {
  const std::array<std::string_view, 4> names{"a.mp4", "../b.mp4", "c.mp4", "/etc/passwd"};
  const data::ListedNames rows{.list = "train.csv",
                               .count = names.size(),
                               .name = [&](std::size_t i) { return names[i]; },
                               .line = [](std::size_t i) { return static_cast<std::int64_t>(i) + 1; }};
  const auto message = message_of<DataError>([&] { data::refuse_outside(rows, "/data"); });
  CHECK(message.starts_with("train.csv: 2 of 4 paths lie outside /data\n  train.csv:2: ../b.mp4\n"));
  CHECK(contains(message, "\n  train.csv:4: /etc/passwd\n"));
  CHECK(contains(message, "allow_outside = true"));
  const data::ListedNames good{.list = "train.csv", .count = 1, .name = rows.name, .line = rows.line};
  CHECK_NOTHROW(data::refuse_outside(good, "/data"));
}

TEST_CASE("of many rows outside, the first are shown and all are counted") {
  const data::ListedNames rows{.list = "l",
                               .count = 1000,
                               .name = [](std::size_t) { return std::string_view("../x"); },
                               .line = [](std::size_t i) { return static_cast<std::int64_t>(i); }};
  const auto message = message_of<DataError>([&] { data::refuse_outside(rows, "/d"); });
  CHECK(message.starts_with("l: 1000 of 1000 paths"));
  CHECK(contains(message, "… and 980 more"));
}
