// marey data pack, and reading from what it wrote.
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/places.hpp"
#include "support/plugin_component.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/data/dataset.hpp>
#include <marey/data/loader.hpp>
#include <marey/media/image.hpp>
#include <marey/media/pack.hpp>

#include <ATen/ops/equal.h>

#include <filesystem>
#include <fstream>

using namespace marey;
using test::contains;
using test::message_of;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

class Plugins {
 public:
  Plugins() : loader_(registry_) {
    for (const char* name : {"kinetics", "transforms"})
      REQUIRE(loader_.load(test::build_folder() / "lib/marey/plugins" / (std::string(name) + ".so")).loaded);
  }
  std::shared_ptr<Dataset> make(const char* type, const fs::path& list,
                                std::initializer_list<std::pair<const char*, Value>> params = {}) {
    Value t = test::table(params);
    t.set("type", type);
    t.set("annotations", list.string());
    t.set("pipeline", Value::Array{test::table({{"type", "SampleFrames"}, {"clip_len", 4}, {"interval", 2}}),
                                   test::table({{"type", "Resize"}, {"size", 16}, {"keep_ratio", false}})});
    return std::static_pointer_cast<Dataset>(read_component(registry_, "dataset", t, "data.train").make());
  }

 private:
  Registry registry_;
  PluginLoader loader_;
};

void write_video(const fs::path& file, int level) {
  fs::create_directories(file.parent_path());
  media::VideoWriter writer(file, {.width = 32, .height = 24, .fps = 25, .codec = "mpeg4", .quality = 2});
  for (int i = 0; i < 12; ++i)
    writer.add(std::vector<std::uint8_t>(32 * 24 * 3, static_cast<std::uint8_t>(level + 8 * i)).data());
  writer.finish();
}

void write_frames(const fs::path& folder, int count, int level) {
  fs::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "img_%05d.png", i + 1);
    media::Image image{24, 16,
                       std::vector<std::uint8_t>(24 * 16 * 3, static_cast<std::uint8_t>(level + 5 * i))};
    media::write_png(folder / name, image);
  }
}

void check_same(const std::shared_ptr<Dataset>& a, const std::shared_ptr<Dataset>& b) {
  REQUIRE(a->size() == b->size());
  a->check_files();
  b->check_files();
  data::Loader from_files(a, {.batch_size = 8, .threads = 2}), from_pack(b, {.batch_size = 8, .threads = 2});
  from_files.start(0);
  from_pack.start(0);
  const auto x = from_files.next(), y = from_pack.next();
  REQUIRE((x && y));
  CHECK(at::equal(x->pixels, y->pixels));
  CHECK(at::equal(x->labels, y->labels));
}

test::Finished pack(std::vector<std::string> words) {
  words.insert(words.begin(), {"data", "pack"});
  return test::marey_run(words);
}

}  // namespace

TEST_CASE("pack: videos read from tar files are the videos, whatever their names") {
  TemporaryFolder folder;
  const std::string deep = std::string(90, 'd') + "/" + std::string(60, 'n') + ".mp4";
  write_video(folder.path() / "src/a, b:(31) ünï.mp4", 40);
  write_video(folder.path() / "src" / deep, 60);
  write_video(folder.path() / "elsewhere/c.avi", 80);
  fs::create_symlink(folder.path() / "elsewhere/c.avi",
                     folder.path() / "src/link.avi");  // on another disk, say
  const std::string outside = (folder.path() / "elsewhere/c.avi").string();
  const auto train = folder.write("src/train.txt", "a, b:(31) ünï.mp4 0\n" + deep + " 1\nlink.avi 2\n");
  const auto val = folder.write("src/val.txt", deep + " 1\n" + outside + " 2\n");
  const fs::path out = folder.path() / "packs/all";
  const auto done = pack({train.string(), val.string(), "--out", out.string(), "--shard-mb", "1"});
  INFO(done.err);
  REQUIRE(done.code == 0);
  CHECK(contains(done.err, "4 videos (4 files) in 1 tar files"));
  Plugins plugins;
  for (const auto& list : {train, val})
    check_same(plugins.make("VideoDataset", list, {{"allow_outside", true}}),
               plugins.make("VideoDataset", list, {{"pack", out.string()}}));
  const auto missing = folder.write("src/more.txt", "link.avi 0\nnew.mp4 1\n");
  const auto incomplete = plugins.make("VideoDataset", missing, {{"pack", out.string()}});
  CHECK(contains(message_of<Error>([&] { incomplete->check_files(); }), "more.txt:2: new.mp4"));
  CHECK(contains(message_of<Error>([&] { incomplete->open(incomplete->sample(1)); }),
                 "new.mp4: is not in the pack"));
  const auto again = pack({train.string(), "--out", out.string()});
  CHECK(again.code == 3);
  CHECK(contains(again.err, "holds a pack already"));
}

TEST_CASE("pack: tar programs unpack it") {
  if (!fs::exists("/bin/tar") && !fs::exists("/usr/bin/tar")) {
    WARN("skipped: no tar program");
    return;
  }
  TemporaryFolder folder;
  const std::string deep = std::string(90, 'd') + "/" + std::string(60, 'n');
  write_frames(folder.path() / "src/a", 3, 10);
  write_frames(folder.path() / "src" / deep, 2, 90);
  const auto list = folder.write("src/list.txt", "a 3 0\n" + deep + " 2 1\n");
  REQUIRE(pack({list.string(), "--out", (folder.path() / "out").string(), "--frames", "--filename-tmpl",
                "img_%05d.png"})
              .code == 0);
  const fs::path there = folder.path() / "unpacked";
  fs::create_directories(there);
  const std::string tar = fs::exists("/bin/tar") ? "/bin/tar" : "/usr/bin/tar";
  const auto unpacked =
      test::Child({tar, "-xf", (folder.path() / "out/shard-00000.tar").string(), "-C", there.string()})
          .wait();
  INFO(unpacked.err);
  REQUIRE(unpacked.code == 0);
  for (const auto& name : {"a/img_00001.png", "a/img_00003.png"}) {
    const auto x = media::read_image(folder.path() / "src" / name), y = media::read_image(there / name);
    CHECK(x.pixels == y.pixels);
  }
  CHECK(fs::exists(there / deep / "img_00002.png"));
  CHECK(fs::exists(there / "a/frames.tsv"));
}

TEST_CASE("pack: frame folders, with offsets, several shards, links to folders") {
  TemporaryFolder folder;
  write_frames(folder.path() / "src/run one", 14, 10);
  write_frames(folder.path() / "disk2/jump", 9, 90);
  fs::create_directory_symlink(folder.path() / "disk2/jump", folder.path() / "src/jump");
  const auto list = folder.write("src/list.txt", "run one 12 0\njump 9 1\n");
  const auto offsets = folder.write("src/offsets.txt", "run one 5 9 0\njump 0 8 1\n");
  media::PackWriter writer(folder.path() / "out", media::PackKind::frames, 1);  // each its own shard
  for (const char* name : {"run one", "jump"}) {
    std::vector<media::PackWriter::Picture> pictures;
    for (const auto& entry : fs::directory_iterator(folder.path() / "src" / name))
      pictures.push_back({entry.path().filename().string(), entry.path()});
    writer.add_frames(name, pictures);  // in any order
  }
  writer.finish();
  CHECK(writer.shards() == 2);
  CHECK(writer.files() == 23);
  Plugins plugins;
  const std::string tmpl = "img_{:05}.png", where = (folder.path() / "out").string();
  check_same(plugins.make("RawframeDataset", list, {{"filename_tmpl", tmpl}}),
             plugins.make("RawframeDataset", list, {{"filename_tmpl", tmpl}, {"pack", where}}));
  check_same(plugins.make("RawframeDataset", offsets, {{"filename_tmpl", tmpl}, {"with_offset", true}}),
             plugins.make("RawframeDataset", offsets,
                          {{"filename_tmpl", tmpl}, {"with_offset", true}, {"pack", where}}));
  const auto longer = folder.write("src/longer.txt", "run one 15 0\njump 9 1\nsit 3 0\n");
  const auto incomplete = plugins.make("RawframeDataset", longer, {{"filename_tmpl", tmpl}, {"pack", where}});
  const auto message = message_of<Error>([&] { incomplete->check_files(); });
  CHECK(contains(message, "run one: 14 of 15 frames are there"));
  CHECK(contains(message, "sit: not in the pack"));
  CHECK(contains(message_of<Error>([&] {
                   plugins.make("VideoDataset", list, {{"pack", where}});
                 }),
                 "is a pack of frames; expected one of videos"));
}

TEST_CASE("pack: a pack that is incomplete, changed or damaged is refused") {
  TemporaryFolder folder;
  write_video(folder.path() / "src/a.mp4", 40);
  const auto list = folder.write("src/list.txt", "a.mp4 0\n");
  const fs::path out = folder.path() / "out";
  {
    media::PackWriter writer(out, media::PackKind::videos, 1 << 20);
    writer.add_video("a.mp4", folder.path() / "src/a.mp4");
  }  // not finished
  CHECK_FALSE(fs::exists(out / "shard-00000.tar"));
  CHECK(contains(message_of<Error>([&] { media::Pack(out, media::PackKind::videos); }), "holds no pack.tsv"));
  const auto lost = folder.write("src/lost.txt", "a.mp4 0\nb.mp4 0\n");
  const auto refused = pack({lost.string(), "--out", out.string()});
  CHECK(refused.code == 3);
  CHECK(contains(refused.err, "1 of 2 files are missing"));
  CHECK(contains(refused.err, "b.mp4"));
  REQUIRE(pack({list.string(), "--out", out.string()}).code == 0);
  fs::resize_file(out / "shard-00000.tar", fs::file_size(out / "shard-00000.tar") - 512);
  CHECK(
      contains(message_of<Error>([&] { media::Pack(out, media::PackKind::videos); }), "when it was packed"));
  const auto wrong = [](std::string text) {
    return message_of<Error>([&] { media::Pack::parse(text, "p", media::PackKind::videos); });
  };
  const std::string head = "marey-pack 1 videos\nshard\t2048\ts.tar\n";
  CHECK(wrong(head + "file\t0\t512\t100\ta\nend\n").empty());
  CHECK(contains(wrong(head + "file\t0\t512\t100\ta\n"), "is cut short"));
  CHECK(contains(wrong(head + "file\t0\t512\t100\ta"), "p/pack.tsv:3: the last line is cut short"));
  CHECK(contains(wrong(head + "file\t1\t512\t100\ta\nend\n"), "there is no shard 1"));
  CHECK(contains(wrong(head + "file\t0\t2000\t100\ta\nend\n"), "lies outside its shard"));
  CHECK(contains(wrong(head + "file\t0\t512\t9223372036854775807\ta\nend\n"), "lies outside its shard"));
  CHECK(contains(wrong(head + "file\t0\t-512\t1\ta\nend\n"), "expected file, shard, offset"));
  CHECK(contains(wrong("marey-pack 1 videos\nshard\t5\t../s.tar\nend\n"), "expected shard, bytes, name"));
  CHECK(contains(wrong(""), "is cut short"));
}
