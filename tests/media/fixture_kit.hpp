// The small awkward files that the reports need, made by the ffmpeg program when a test asks for them.
#pragma once
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace marey::test {

inline std::optional<std::filesystem::path> program_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::exists(std::filesystem::path(folder) / name))
      return std::filesystem::path(folder) / name;
  return {};
}

class FixtureKit {
 public:
  FixtureKit() : ffmpeg_(program_on_path("ffmpeg")) {
    if (!ffmpeg_) WARN("skipped: no ffmpeg program");
  }
  explicit operator bool() const { return ffmpeg_.has_value(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  // Words are divided by blanks; a word in 'quotes' may hold some.
  void ffmpeg(const std::string& arguments) const {
    std::vector<std::string> words{ffmpeg_->string(), "-nostdin", "-v", "error", "-y"};
    std::string word;
    bool quoted = false, any = false;
    for (const char c : arguments + " ") {
      if (c == '\'') {
        quoted = !quoted;
        any = true;
      } else if (c == ' ' && !quoted) {
        if (any || !word.empty()) words.push_back(word);
        word.clear();
        any = false;
      } else {
        word += c;
      }
    }
    const auto done = Child(words, {.folder = folder_.path()}).wait();
    if (done.code != 0) throw std::runtime_error("ffmpeg " + arguments + ": " + done.err);
  }

  // A file of the kit by its name, with those it is made from.
  std::filesystem::path get(const std::string& name) {
    const auto path = folder_.path() / name;
    if (std::filesystem::exists(path)) return path;
    const auto& recipe = recipes().at(name);
    for (const auto& from : recipe.from) get(from);
    ffmpeg(recipe.arguments + " " + name);
    return path;
  }

  // Bytes of rgb24 frames, as the ffmpeg program gives them.
  std::vector<std::uint8_t> rgb(const std::string& name) const {
    ffmpeg("-i " + name +
           " -vsync passthrough -f rawvideo -pix_fmt rgb24 -sws_flags bicubic+accurate_rnd+full_chroma_int " +
           name + ".rgb");
    std::ifstream file(folder_.path() / (name + ".rgb"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  struct Recipe {
    std::string arguments;
    std::vector<std::string> from = {};
  };
  static const std::map<std::string, Recipe>& recipes() {
    static const std::string source = "-f lavfi -i testsrc2=s=64x48:r=25:d=1 ", x264 = "-c:v libx264 ";
    static const std::map<std::string, Recipe> all{
        {"ident.mp4",
         {"-f lavfi -i 'color=c=black:s=32x32:r=25:d=4,format=yuv420p,geq=lum=16+2*N:cb=128:cr=128' -c:v "
          "libx264 -qp 1 "
          "-g 30 -x264-params bframes=3:b-adapt=0:scenecut=0"}},
        {"ident.mkv", {"-i ident.mp4 -c copy", {"ident.mp4"}}},
        {"ident.webm",
         {"-i ident.mp4 -c:v libvpx -b:v 2M -g 30 -auto-alt-ref 1 -lag-in-frames 10", {"ident.mp4"}}},
        {"ident.avi", {"-i ident.mp4 -c:v mpeg4 -q:v 1 -bf 2 -g 12", {"ident.mp4"}}},
        {"ident_trim.mp4", {"-ss 0.5 -i ident.mp4 -c copy", {"ident.mp4"}}},
        {"base.mp4", {"-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -g 25 -bf 3 -pix_fmt yuv420p"}},
        {"base.mkv", {"-i base.mp4 -c copy", {"base.mp4"}}},
        {"base.ts", {"-i base.mp4 -c copy", {"base.mp4"}}},
        {"live.mkv", {"-i base.mp4 -c copy -f matroska -live 1", {"base.mp4"}}},
        {"off5.ts", {"-i base.mp4 -c copy -output_ts_offset 5", {"base.mp4"}}},
        {"nokey.ts", {"-i base.mp4 -c copy -bsf:v 'noise=drop=eq(n\\,0)'", {"base.mp4"}}},
        {"rot90.mp4", {"-i base.mp4 -c copy -metadata:s:v:0 rotate=90", {"base.mp4"}}},
        {"fast.mp4", {"-i base.mp4 -c copy -movflags faststart", {"base.mp4"}}},
        {"vfr.mp4",
         {"-f lavfi -i testsrc2=s=64x48:r=30:d=4 -vf "
          "'select=if(lt(n\\,60)\\,not(mod(n\\,2))\\,not(mod(n\\,3)))' -vsync "
          "vfr -c:v libx264 -pix_fmt yuv420p"}},
        {"nopts.avi", {"-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v mpeg4 -q:v 2 -bf 2 -g 12"}},
        {"audio_only.mp4", {"-f lavfi -i sine=d=1 -c:a aac"}},
        {"cover.png", {"-f lavfi -i color=blue:s=32x32 -frames:v 1"}},
        {"audio_cover.m4a",
         {"-f lavfi -i sine=d=1 -i cover.png -map 0 -map 1 -c:a aac -c:v copy -disposition:v:0 attached_pic",
          {"cover.png"}}},
        {"cover.mp4",
         {"-i base.mp4 -i cover.png -map 1 -map 0 -c copy -disposition:v:0 attached_pic",
          {"base.mp4", "cover.png"}}},
        {"zero.mp4", {source + "-vf select=0 " + x264 + "-pix_fmt yuv420p"}},
        {"one.mp4", {"-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 1 -c:v libx264 -pix_fmt yuv420p"}},
        {"ten.mp4", {source + x264 + "-pix_fmt yuv420p10le"}},
        {"ten_full.mp4",
         {source + "-vf scale=out_range=pc -color_range pc " + x264 + "-pix_fmt yuv420p10le"}},
        {"full.mp4",
         {source + x264 + "-pix_fmt yuvj420p -colorspace bt709 -color_primaries bt709 -color_trc bt709"}},
        {"anim.gif", {"-f lavfi -i testsrc2=s=64x48:r=10:d=1"}},
        {"alpha.mov", {"-f lavfi -i color=red@0.3:s=64x48:r=10:d=1,format=rgba -c:v qtrle"}},
        {"alpha.webm", {"-f lavfi -i color=red@0.3:s=64x48:r=10:d=1,format=yuva420p -c:v libvpx-vp9"}},
        {"inter.mpg",
         {"-f lavfi -i testsrc2=s=64x48:r=50:d=1 -vf tinterlace=4 -flags +ilme+ildct -c:v mpeg2video"}},
        {"onegop.mp4",
         {"-f lavfi -i testsrc2=s=32x32:r=25:d=60 -c:v libx264 -preset ultrafast -g 100000 -sc_threshold 0 "
          "-pix_fmt "
          "yuv420p"}},
        {"longaudio.mkv",
         {"-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=3 -c:v libx264 -pix_fmt yuv420p -c:a "
          "aac"}},
    };
    return all;
  }

  TemporaryFolder folder_;
  std::optional<std::filesystem::path> ffmpeg_;
};

// Leaves the first bytes of a file.
inline std::filesystem::path cut(const std::filesystem::path& file, const std::string& name,
                                 std::uintmax_t bytes) {
  const auto out = file.parent_path() / name;
  std::filesystem::copy_file(file, out, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(out, bytes);
  return out;
}

}  // namespace marey::test
