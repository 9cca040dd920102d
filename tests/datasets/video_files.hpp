// Small video files, and data sets of them made by the plugins, as a recipe makes them.
#pragma once
#include "support/catch.hpp"
#include "support/places.hpp"
#include "support/plugin_component.hpp"

#include <marey/data/dataset.hpp>
#include <marey/media/image.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace marey::test {

// The plugins that a recipe of video files needs.
class VideoPlugins {
 public:
  VideoPlugins() : loader_(registry_) {
    for (const char* name : {"kinetics", "transforms"}) {
      const auto& s =
          loader_.load(build_folder() / "lib" / "marey" / "plugins" / (std::string(name) + ".so"));
      INFO(s.problem);
      REQUIRE(s.loaded);
    }
  }
  std::shared_ptr<Dataset> make(const std::filesystem::path& list,
                                std::initializer_list<std::pair<const char*, Value>> params = {}) {
    Value t = table(params);
    t.set("type", "VideoDataset");
    t.set("annotations", list.string());
    if (!t.find("pipeline"))
      t.set("pipeline", Value::Array{table({{"type", "SampleFrames"}, {"clip_len", 4}, {"interval", 2}}),
                                     table({{"type", "Resize"}, {"size", 16}, {"keep_ratio", false}})});
    return std::static_pointer_cast<Dataset>(read_component(registry_, "dataset", t, "data.train").make());
  }

 private:
  Registry registry_;
  PluginLoader loader_;
};

// Frame i is a plain grey of 40 + 8 * i, brighter by `extra`.
inline void write_video(const std::filesystem::path& file, int extra) {
  std::filesystem::create_directories(file.parent_path());
  media::VideoWriter writer(file, {.width = 32, .height = 24, .fps = 25, .codec = "mpeg4", .quality = 2});
  for (int i = 0; i < 12; ++i) {
    const std::vector<std::uint8_t> frame(32 * 24 * 3, static_cast<std::uint8_t>(40 + 8 * i + extra));
    writer.add(frame.data());
  }
  writer.finish();
}

}  // namespace marey::test
