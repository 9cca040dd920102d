// Reads and loads videos on request, for bench/decode. A request is a line "CASE FILE THREADS", the answer a
// line with the seconds that the work took and how many frames or clips it gave.
#include <marey/core/plugin_loader.hpp>
#include <marey/core/registry.hpp>
#include <marey/data/loader.hpp>
#include <marey/media/video_reader.hpp>
#include <marey/model/preprocess.hpp>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace marey;

namespace {

using Indices = std::vector<std::int64_t>;

Indices spread(std::int64_t count, std::int64_t frames) {
  Indices out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(i * frames / count + frames / count / 2);
  return out;
}

// Opens the file anew and reads these frames, at their own size unless told; gives their number.
std::int64_t read(const std::string& file, int threads, const std::function<Indices(std::int64_t)>& choose,
                  int width = 0, int height = 0, media::Scaling scaling = media::Scaling::fast) {
  media::VideoReader reader(file, {.threads = threads});
  const auto& info = reader.info();
  if (width == 0) width = info.width, height = info.height;
  const Indices wanted = choose(info.frames);
  const std::size_t bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
  const auto pixels = std::make_unique_for_overwrite<std::uint8_t[]>(bytes * wanted.size());
  std::vector<media::FrameRequest> requests;
  const media::Rect all{0, 0, static_cast<double>(info.width), static_cast<double>(info.height)};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    requests.push_back({wanted[i], {all, width, height, false, scaling}, pixels.get() + i * bytes});
  reader.read(requests);
  return static_cast<std::int64_t>(wanted.size());
}

Indices all_frames(std::int64_t frames) {
  Indices out(static_cast<std::size_t>(frames));
  for (std::int64_t i = 0; i < frames; ++i) out[static_cast<std::size_t>(i)] = i;
  return out;
}

// The same single frames for every tool: a fixed linear congruence, not in order.
std::int64_t read_in_random_order(const std::string& file, int threads) {
  media::VideoReader reader(file, {.threads = threads});
  const auto& info = reader.info();
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(info.width) *
                                   static_cast<std::size_t>(info.height) * 3);
  const media::Rect all{0, 0, static_cast<double>(info.width), static_cast<double>(info.height)};
  constexpr std::int64_t count = 16;
  for (std::int64_t i = 0; i < count; ++i) {
    const media::FrameRequest request{(i * 7919 + 101) % info.frames,
                                      {all, info.width, info.height, false, media::Scaling::fast},
                                      pixels.data()};
    reader.read({&request, 1});
  }
  return count;
}

// Clips of 32 frames, 2 apart, short side 256 to 320, crop 224, flip, as normalised floats [N, 3, T, H, W].
class Clips {
 public:
  Clips() : plugins_(registry_) {
    for (const char* name : {"kinetics", "transforms"})
      if (const auto& s =
              plugins_.load(std::filesystem::path(MAREY_PLUGIN_FOLDER) / (std::string(name) + ".so"));
          !s.loaded)
        throw Error(s.problem);
  }

  std::int64_t load(const std::string& list, int threads) {
    const auto transform = [](const char* type, std::initializer_list<std::pair<const char*, Value>> params) {
      Value t = Value::table();
      for (const auto& [key, value] : params) t.set(key, value);
      t.set("type", type);
      return t;
    };
    Value t = Value::table();
    t.set("type", "VideoDataset");
    t.set("annotations", list);
    t.set("pipeline", Value::Array{transform("SampleFrames", {{"clip_len", 32}, {"interval", 2}}),
                                   transform("Resize", {{"size", 256}, {"max_size", 320}}),
                                   transform("RandomCrop", {{"size", 224}}), transform("Flip", {})});
    const auto dataset =
        std::static_pointer_cast<Dataset>(read_component(registry_, "dataset", t, "data.train").make());
    data::Loader loader(dataset, {.batch_size = 4, .threads = threads, .training = true});
    loader.start(++epoch_);
    std::int64_t clips = 0;
    while (const auto batch = loader.next()) clips += preprocess(batch->pixels, {}).size(0);
    return clips;
  }

 private:
  Registry registry_;
  PluginLoader plugins_;
  std::uint64_t epoch_ = 0;
};

}  // namespace

int main() {
  at::set_num_threads(1);
  Clips clips;
  const std::map<std::string, std::function<std::int64_t(const std::string&, int)>> cases{
      {"sequential", [](auto& f, int t) { return read(f, t, all_frames); }},
      {"sequential_precise",
       [](auto& f, int t) { return read(f, t, all_frames, 0, 0, media::Scaling::precise); }},
      {"sequential_small", [](auto& f, int t) { return read(f, t, all_frames, 280, 224); }},
      {"sparse8", [](auto& f, int t) { return read(f, t, [](auto n) { return spread(8, n); }); }},
      {"sparse32", [](auto& f, int t) { return read(f, t, [](auto n) { return spread(32, n); }); }},
      {"span",
       [](auto& f, int t) {
         return read(f, t, [](auto) {
           Indices out;
           for (std::int64_t i = 0; i < 32; ++i) out.push_back(120 + 2 * i);
           return out;
         });
       }},
      {"random", read_in_random_order},
      {"clips", [&](auto& f, int t) { return clips.load(f, t); }}};
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name, file;
    int threads = 1;
    words >> name >> file >> threads;
    const auto found = cases.find(name);
    if (found == cases.end()) {
      std::cerr << "unknown case: " << line << '\n';
      return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto count = found->second(file, threads);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::cout << fmt::format("{:.6f} {}\n", seconds.count(), count) << std::flush;
  }
}
