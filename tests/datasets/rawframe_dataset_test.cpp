// RawframeDataset, with the reports (b) on lists as they concern frame folders.
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/places.hpp"
#include "support/plugin_component.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/data/frame_list.hpp>
#include <marey/data/loader.hpp>
#include <marey/media/image.hpp>

#include <fmt/format.h>

#include <filesystem>

using namespace marey;
using data::FrameList;
using test::contains;
using test::message_of;
using test::TemporaryFolder;

namespace {

class Plugins {
 public:
  Plugins() : loader_(registry_) {
    for (const char* name : {"kinetics", "transforms"}) {
      const auto& s = loader_.load(marey::test::build_folder() / "lib" / "marey" / "plugins" /
                                   (std::string(name) + ".so"));
      INFO(s.problem);
      REQUIRE(s.loaded);
    }
  }
  std::shared_ptr<Dataset> make(const std::filesystem::path& list,
                                std::initializer_list<std::pair<const char*, Value>> params = {}) {
    Value t = test::table(params);
    t.set("type", "RawframeDataset");
    t.set("annotations", list.string());
    if (!t.find("filename_tmpl")) t.set("filename_tmpl", "img_%05d.png");
    t.set("pipeline", Value::Array{test::table({{"type", "SampleFrames"}, {"clip_len", 4}, {"interval", 2}}),
                                   test::table({{"type", "Resize"}, {"size", 16}, {"keep_ratio", false}})});
    return std::static_pointer_cast<Dataset>(read_component(registry_, "dataset", t, "data.train").make());
  }

 private:
  Registry registry_;
  PluginLoader loader_;
};

// Frame i is a plain grey of 40 + 8 * i, brighter by `extra`; numbered from 1.
void write_frames(const std::filesystem::path& folder, int count, int extra = 0) {
  std::filesystem::create_directories(folder);
  for (int i = 0; i < count; ++i)
    media::write_png(
        folder / fmt::format("img_{:05}.png", i + 1),
        {32, 24, std::vector<std::uint8_t>(32 * 24 * 3, static_cast<std::uint8_t>(40 + 8 * i + extra))});
}

std::string rows(const std::string& text, const data::FrameListOptions& options = {}) {
  try {
    const auto list = FrameList::parse(text, "l.txt", options);
    std::string out;
    for (std::size_t i = 0; i < list.size(); ++i) {
      out += fmt::format("{}|{}|{}", list.folder(i), list.row(i).offset, list.row(i).frames);
      for (const auto label : list.labels(i)) out += fmt::format("|{}", label);
      out += ';';
    }
    return out;
  } catch (const DataError& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("B1 frame folders with blanks, brackets, commas and other letters") {
  CHECK(rows("a b, c (31) ünï 30 4\n") == "a b, c (31) ünï|0|30|4;");
  CHECK(rows("a 7 30 4\n") == "a 7|0|30|4;");
  CHECK(rows("\"a \"\"b\"\" 7\" 30 4\n") == "a \"b\" 7|0|30|4;");
  CHECK(rows("v 2 3\n\"v 2\" 3\n").find("l.txt:2: no label, while line 1 has one") != std::string::npos);
  CHECK(rows("a b 10 30 4\n", {.with_offset = true}) == "a b|10|30|4;");
  CHECK(rows("a/b 30 4 7 1\n", {.multi_label = true}) == "a/b|0|30|4|7|1;");
  CHECK(rows("\"a b\" 5 30 4 7\nc 0 3 1\n", {.with_offset = true, .multi_label = true}) ==
        "a b|5|30|4|7;c|0|3|1;");
  CHECK(contains(rows("a b 30 4 7\n", {.multi_label = true}), "'b' is no integer; quote a folder"));
  CHECK(rows("some folder 30\nx 2\n") == "some folder|0|30;x|0|2;");
}

TEST_CASE("B2 a frame list with a byte order mark, CRLF, blank lines and no last newline") {
  const std::string same = "a|0|30|4;b|0|2|0;";
  CHECK(rows("a 30 4\nb 2 0\n") == same);
  CHECK(rows("\xef\xbb\xbf"
             "a 30 4 \r\n\r\n  b\t2  0") == same);
}

TEST_CASE("B4 frame lists: labels out of range and rows that do not fit, all with their lines") {
  const auto message =
      rows("a 30 3\nb 30 -1\nc 30 2\n\nd 0 1\n\"e 3 1\ne 1\nf\n\"g\" 1 2 3\n", {.num_classes = 3});
  CHECK(contains(message, "l.txt: 7 rows are wrong"));
  CHECK(contains(message, "l.txt:1: label 3 is out of range: expected 0 to 2 (3 classes; the first is 0)"));
  CHECK(contains(message, "l.txt:2: label -1 is out of range"));
  CHECK(contains(message, "l.txt:5: 0 frames; expected at least 1"));
  CHECK(contains(message, "l.txt:6: the quote at the start of the folder is not closed"));
  CHECK(contains(message, "l.txt:8: expected `folder frames label`, got no number after the folder 'f'"));
  CHECK(contains(message, "l.txt:9: 2 labels; expected one a row"));
  CHECK(contains(rows("a 5 6\n", {.with_offset = true}), "a|5|6;"));
  CHECK(contains(rows("a 5\n", {.with_offset = true}),
                 "expected `folder offset frames label`, got one number"));
  CHECK(contains(rows("\n \n"), "the list is empty"));
  CHECK(contains(rows(std::string("a\0b 3 1", 7)), "zero bytes"));
}

TEST_CASE("B7 the same frames under two labels are a warning with both lines") {
  const auto list = FrameList::parse("a 30 1\nb 30 2\na 30 1\na 30 2\n", "l.txt", {});
  CHECK(list.warnings() == std::vector<std::string>{"l.txt:4: 'a' has other labels here than on line 1"});
  const auto parts = FrameList::parse("a 0 30 1\na 30 30 2\n", "l.txt", {.with_offset = true});
  CHECK(parts.warnings().empty());
}

TEST_CASE("B6 RawframeDataset: missing folders and frames are listed at the start") {
  TemporaryFolder folder;
  Plugins plugins;
  write_frames(folder.path() / "v", 8);
  CHECK_NOTHROW(plugins.make(folder.write("good.txt", "v 8 0\n"))->check_files());
  std::filesystem::remove(folder.path() / "v" / "img_00003.png");
  const auto list = folder.write("bad.txt", "v 2 0\nv 8 0\n\nnope 3 0\n");
  const auto message = message_of<DataError>([&] { plugins.make(list)->check_files(); });
  CHECK(contains(message, "2 of 3 frame folders are missing or incomplete"));
  CHECK(contains(message, "bad.txt:2: v: 7 of 8 frames are there, counted from 1"));
  CHECK(contains(message, "bad.txt:4: nope: no such folder"));
  const auto fast = message_of<DataError>([&] { plugins.make(list, {{"check", "folders"}})->check_files(); });
  CHECK(contains(fast, "1 of 3 frame folders"));
  CHECK(contains(message_of<Error>([&] {
                   plugins.make(list, {{"filename_tmpl", "img.jpg"}});
                 }),
                 "filename_tmpl: the frame name 'img.jpg' holds no number"));
}

TEST_CASE("RawframeDataset: batches of linked and plain folders, with offsets, for any number of threads") {
  TemporaryFolder folder;
  Plugins plugins;
  write_frames(folder.path() / "other disk" / "real", 12);
  write_frames(folder.path() / "data" / "b", 12, 20);
  std::filesystem::create_directory_symlink(folder.path() / "other disk" / "real",
                                            folder.path() / "data" / "a");
  const auto list =
      folder.write("data/val.txt", "a 0 12 1\nb 0 12 2\na 2 9 0\n" +
                                       (folder.path() / "other disk/real").string() + " 5 7 1\n");
  const auto dataset = plugins.make(list, {{"with_offset", true}, {"fps", 25.0}, {"allow_outside", true}});
  dataset->check_files();
  CHECK(dataset->num_classes() == 3);
  CHECK(dataset->open(dataset->sample(2))->info().frames == 9);
  CHECK(dataset->open(dataset->sample(2))->info().fps == 25);
  for (const int threads : {1, 3}) {
    data::Loader loader(dataset, {.batch_size = 4, .threads = threads});
    loader.start(0);
    const auto batch = loader.next();
    REQUIRE(batch);
    CHECK(batch->pixels.sizes().vec() == std::vector<std::int64_t>({4, 1, 3, 4, 16, 16}));
    // A span of seven in the middle of 12, 12, 9 and 7 frames.
    const int first[] = {2, 2, 1 + 2, 0 + 5}, extra[] = {0, 20, 0, 0};
    for (int n = 0; n < 4; ++n)
      for (int t = 0; t < 4; ++t) {
        const auto frame = batch->pixels[n][0].select(1, t);
        INFO("sample " << n << ", frame " << t);
        CHECK(frame.min().item<int>() == 40 + 8 * (first[n] + 2 * t) + extra[n]);
        CHECK(frame.max().item<int>() == frame.min().item<int>());
      }
    CHECK(batch->labels[1].item<int>() == 2);
  }
}
