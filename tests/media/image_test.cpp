#include "media/test_clip.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/media/image.hpp>

#include <fstream>

using namespace marey;

TEST_CASE("a picture survives writing and reading as png") {
  test::TemporaryFolder folder;
  media::Image image{5, 3, {}};
  for (int i = 0; i < 45; ++i) image.pixels.push_back(static_cast<std::uint8_t>(i * 5));
  media::write_png(folder.path() / "a.png", image);
  const auto back = media::read_image(folder.path() / "a.png");
  CHECK(back.width == 5);
  CHECK(back.height == 3);
  CHECK(back.pixels == image.pixels);
}

TEST_CASE("pictures that cannot be read are refused by name") {
  test::TemporaryFolder folder;
  const auto text = folder.write("text.png", "this is no picture");
  const auto cut = folder.path() / "cut.png";
  media::write_png(cut, {64, 64, test::numbered_frame(3, 64, 64)});
  std::filesystem::resize_file(cut, 60);
  for (const auto& path : {text, cut, folder.path() / "absent.png"}) {
    INFO(path.string());
    try {
      media::read_image(path);
      FAIL("was read");
    } catch (const media::MediaError& e) {
      CHECK(std::string(e.what()).find(path.string()) == 0);
    }
  }
  CHECK_THROWS_AS(media::write_png(folder.path() / "b.png", {4, 4, {1, 2, 3}}), media::MediaError);
}
