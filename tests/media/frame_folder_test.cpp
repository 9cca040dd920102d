// Folders of numbered pictures. Also reports B6 and B1 of the frame folders' side.
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/files.hpp>
#include <marey/media/frame_names.hpp>
#include <marey/media/image.hpp>
#include <marey/media/picture_sequence.hpp>

#include <fmt/format.h>

#include <filesystem>

using namespace marey;
using media::FrameNames;
using test::contains;
using test::message_of;
using test::TemporaryFolder;

namespace {

// Frame i: red is 10 * i, green grows to the right, blue downwards.
media::Image picture(int i, int width = 24, int height = 16) {
  media::Image image{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int value : {10 * i, 10 * x, 15 * y})
        image.pixels.push_back(static_cast<std::uint8_t>(value));
  return image;
}

std::filesystem::path write_frames(const std::filesystem::path& folder, int first, int count,
                                   const char* pattern = "img_%05d.png") {
  std::filesystem::create_directories(folder);
  const FrameNames names(pattern);
  for (int i = 0; i < count; ++i)
    media::write_png(folder / names.name(first + i, folder.filename().string()), picture(i));
  return folder;
}

std::vector<std::uint8_t> whole(media::FrameSource& source, std::int64_t index) {
  const auto& info = source.info();
  std::vector<std::uint8_t> out(static_cast<std::size_t>(info.width * info.height) * 3);
  const media::FrameRequest request{
      index, {{0, 0, double(info.width), double(info.height)}, info.width, info.height}, out.data()};
  source.read({&request, 1});
  return out;
}

}  // namespace

TEST_CASE("frame names: every form of the number, and what is none") {
  CHECK(FrameNames("img_%05d.jpg").name(7, "v") == "img_00007.jpg");
  CHECK(FrameNames("img_%05d.jpg").name(1234567, "v") == "img_1234567.jpg");
  CHECK(FrameNames("img_{:05}.jpg").name(7, "v") == "img_00007.jpg");
  CHECK(FrameNames("img_{:05d}.jpg").name(7, "v") == "img_00007.jpg");
  CHECK(FrameNames("{}.png").name(7, "v") == "7.png");
  CHECK(FrameNames("%d.png").name(7, "v") == "7.png");
  CHECK(FrameNames("{folder}_%06d.jpg").name(3, "a b") == "a b_000003.jpg");
  CHECK(FrameNames("{folder}_%06d.jpg").number("a b_000003.jpg", "a b") == 3);
  CHECK(FrameNames("img_%05d.jpg").number("img_00012.jpg", "") == 12);
  for (const char* other : {"img_12.jpg", "img_00012.png", "img_.jpg", "img_0001a.jpg", "xmg_00012.jpg",
                            "img_99999999999999999999.jpg", "img_-0001.jpg", ""})
    CHECK_FALSE(FrameNames("img_%05d.jpg").number(other, ""));
  for (const char* bad : {"img.jpg", "%05d_%05d.jpg", "a/%05d.jpg", "img_%5d.jpg", "img_%s.jpg", "{x}_%d.jpg",
                          "%", "{", "img_%099d.jpg", ""})
    CHECK(contains(message_of<UsageError>([&] { FrameNames names(bad); }),
                   "expected something like img_%05d.jpg"));
}

TEST_CASE("frame folders: exact pixels in any order; each picture is read and decoded once") {
  TemporaryFolder folder;
  const auto frames = write_frames(folder.path() / "a b (1)", 1, 5);
  const auto source =
      media::open_frame_folder(frames, {.name_template = "img_%05d.png", .pictures = {.fps = 10}});
  CHECK(source->info().frames == 5);
  CHECK(source->info().width == 24);
  CHECK(source->info().height == 16);
  CHECK(source->info().codec == "png");
  CHECK(source->info().duration_seconds == 0.5);
  CHECK(source->stats().packets == 1);  // the first one's header
  CHECK(source->stats().decoded == 0);
  for (const int i : {4, 0, 2}) CHECK(whole(*source, i) == picture(i).pixels);

  const auto second = media::open_frame_folder(frames, {.name_template = "img_%05d.png"});
  std::vector<std::uint8_t> a(8 * 8 * 3), b(8 * 8 * 3);
  const media::FrameRequest views[] = {{3, {{0, 0, 8, 8}, 8, 8}, a.data()},
                                       {1, {{0, 0, 8, 8}, 8, 8}, b.data()},
                                       {3, {{16, 8, 8, 8}, 8, 8, true}, b.data()}};
  second->read(views);
  CHECK(second->stats().packets == 3);  // with the header of frame 0
  CHECK(second->stats().decoded == 2);
  CHECK(second->stats().converted == 3);
  CHECK(second->stats().seeks == 0);
  CHECK(a[0] == 30);
  CHECK(b[1] == 230);  // mirrored: the rightmost column first
}

TEST_CASE("frame folders: start number, offset, folder's own name, links") {
  TemporaryFolder folder;
  const auto frames = write_frames(folder.path() / "disk2" / "v1", 0, 6, "{folder}_%06d.png");
  const auto from = [&](std::int64_t first, std::int64_t count) {
    return media::open_frame_folder(frames,
                                    {.name_template = "{folder}_%06d.png", .first = first, .frames = count});
  };
  CHECK(from(0, 0)->info().frames == 6);
  CHECK(from(2, 0)->info().frames == 4);
  CHECK(whole(*from(2, 3), 1) == picture(3).pixels);
  std::filesystem::create_directories(folder.path() / "data");
  std::filesystem::create_directory_symlink(frames, folder.path() / "data" / "v1");
  const auto linked = media::open_frame_folder(folder.path() / "data" / "v1",
                                               {.name_template = "{folder}_%06d.png", .first = 0});
  CHECK(linked->info().frames == 6);
  CHECK(whole(*linked, 5) == picture(5).pixels);
  CHECK(media::FrameNumbers(frames, "{folder}_%06d.png").run_from(1) == 5);
  CHECK(media::FrameNumbers(frames, "{folder}_%06d.png").run_from(6) == 0);
}

TEST_CASE("frame folders: what is missing, cut or no picture is named with its file") {
  TemporaryFolder folder;
  const auto frames = write_frames(folder.path() / "v", 1, 4);
  const media::FrameFolderOptions options{.name_template = "img_%05d.png", .frames = 6};
  const auto source = media::open_frame_folder(frames, options);
  CHECK(contains(message_of<media::MediaError>([&] { whole(*source, 5); }), "img_00006.png"));
  CHECK(contains(message_of<media::MediaError>([&] { whole(*source, 6); }), "no frame 6; there are 6"));
  const std::string bytes = read_file(frames / "img_00003.png");
  write_file_atomically(frames / "img_00003.png", bytes.substr(0, bytes.size() / 3));
  CHECK(contains(message_of<media::MediaError>([&] { whole(*source, 2); }), "img_00003.png"));
  write_file_atomically(frames / "img_00003.png", "no picture");
  CHECK(contains(message_of<media::MediaError>([&] { whole(*source, 2); }), "is not a picture"));
  write_file_atomically(frames / "img_00003.png", "");
  CHECK(contains(message_of<media::MediaError>([&] { whole(*source, 2); }), "is empty"));
  CHECK(whole(*source, 3) == picture(3).pixels);  // and goes on with others
  CHECK(contains(message_of<media::MediaError>([&] { media::open_frame_folder(folder.path() / "none"); }),
                 "none"));
  CHECK(contains(message_of<media::MediaError>([&] { media::open_frame_folder(frames); }), "img_00001.jpg"));
  std::filesystem::remove(frames / "img_00002.png");
  CHECK(media::FrameNumbers(frames, "img_%05d.png").run_from(1) == 1);
}

TEST_CASE("frame folders: reading stops when the caller has lost interest") {
  TemporaryFolder folder;
  const auto frames = write_frames(folder.path() / "v", 1, 3);
  bool stop = false;
  const auto source = media::open_frame_folder(
      frames, {.name_template = "img_%05d.png", .pictures = {.cancelled = [&] { return stop; }}});
  stop = true;
  CHECK(contains(message_of<media::MediaError>([&] { whole(*source, 2); }), "cancelled"));
}
