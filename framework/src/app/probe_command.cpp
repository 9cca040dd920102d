// marey data probe FILE [--frames 0,10,-1] [--json]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/media/probe.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace marey::app {
namespace {

using Json = nlohmann::ordered_json;

void options(Arguments& a) {
  a.take_positionals(1, 1);
  a.add_text("frames", "frames to look at, for example 0,10,-1; -1 is the last");
  a.add_switch("no-rotate", "leave out the rotation that the container asks for");
  a.add_number("threads", "of the decoder", 1);
  a.add_switch("json", "print one JSON document");
}

std::vector<std::int64_t> numbers(std::string_view text) {
  std::vector<std::int64_t> out;
  const std::string whole(text);
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + comma, value);
    if (problem != std::errc{} || end != text.data() + comma || comma == 0)
      throw UsageError(fmt::format("--frames {}: expected integers with commas between, as 0,10,-1", whole));
    out.push_back(value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

Json frame_json(const media::ProbedFrame& f) {
  Json out{{"n", f.index}};
  out["pts"] = f.pts ? Json(*f.pts) : Json();
  out["seconds"] = f.seconds;
  out["key"] = f.key;
  out["native_md5"] = f.planes_md5;
  out["rgb24_md5"] = f.rgb_md5;
  out["rgb_mean"] = f.rgb_mean;
  return out;
}

Json json_of(const std::string& file, const media::Probe& p) {
  const auto stated = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json out{{"file", file},
           {"container", p.container},
           {"codec", p.codec},
           {"stream", p.stream},
           {"streams", p.streams},
           {"video_streams", p.video_streams},
           {"frames", p.frames},
           {"header_frames", p.header_frames ? Json(*p.header_frames) : Json()},
           {"packets", p.packets},
           {"key_frames", p.key_frames},
           {"stored_width", p.stored_width},
           {"stored_height", p.stored_height},
           {"width", p.width},
           {"height", p.height},
           {"rotation", p.rotation},
           {"pixel_aspect", stated(p.pixel_aspect)},
           {"fps", p.fps},
           {"header_fps", p.header_fps},
           {"duration_seconds", p.duration_seconds},
           {"time_base", p.time_base},
           {"pixel_format", stated(p.pixel_format)},
           {"colour_space", stated(p.colour_space)},
           {"colour_range", stated(p.colour_range)},
           {"field_order", stated(p.field_order)}};
  out["damage"] = {{"any", p.damage.any()},
                   {"reading_stopped", stated(p.damage.reading_stopped)},
                   {"missing_frames", p.damage.missing_frames},
                   {"refused_packets", p.damage.refused_packets},
                   {"damaged_frames", p.damage.damaged_frames}};
  Json frames = Json::array();
  for (const auto& f : p.shown) frames.push_back(frame_json(f));
  out["shown"] = std::move(frames);
  return out;
}

std::string text_of(const std::string& file, const media::Probe& p) {
  const auto stated = [](const std::string& text) { return text.empty() ? "not stated" : text; };
  std::string out = file + "\n";
  const auto line = [&](const char* name, const std::string& value) {
    out += fmt::format("  {:<14} {}\n", name, value);
  };
  line("container", p.container);
  line("codec", p.codec);
  line("stream", fmt::format("{} of {} ({} video)", p.stream, p.streams, p.video_streams));
  line("frames", fmt::format("{} ({}; {} key frames)", p.frames,
                             p.header_frames ? fmt::format("the header says {}", *p.header_frames)
                                             : std::string("the header does not say"),
                             p.key_frames));
  line("size", p.rotation == 0 ? fmt::format("{}x{}", p.width, p.height)
                               : fmt::format("{}x{}, stored as {}x{} and turned by {} degrees", p.width,
                                             p.height, p.stored_width, p.stored_height, p.rotation));
  line("pixel aspect", stated(p.pixel_aspect));
  line("frames/s", fmt::format("{:.6g} (the header says {:.6g})", p.fps, p.header_fps));
  line("duration", fmt::format("{:.3f} s", p.duration_seconds));
  line("pixels", stated(p.pixel_format));
  line("colour", fmt::format("space: {}; range: {}", stated(p.colour_space), stated(p.colour_range)));
  line("fields", stated(p.field_order));
  line("damage", p.damage.any() ? p.damage.words() : "none");
  for (const auto& f : p.shown) {
    out += fmt::format("  frame {}: {:.6f} s{}{}\n", f.index, f.seconds,
                       f.pts ? fmt::format(", pts {} ({} s)", *f.pts, p.time_base) : "",
                       f.key ? ", key frame" : "");
    out += fmt::format("    planes md5 {}\n    rgb24 md5  {}\n    rgb24 mean {:.3f} {:.3f} {:.3f}\n",
                       f.planes_md5, f.rgb_md5, f.rgb_mean[0], f.rgb_mean[1], f.rgb_mean[2]);
  }
  return out;
}

ExitCode run(const Arguments& a) {
  const auto threads = a.number("threads");
  if (threads < 1 || threads > 64) throw UsageError(fmt::format("--threads {}: expected 1 to 64", threads));
  const auto frames = a.given("frames") ? numbers(a.text("frames")) : std::vector<std::int64_t>{};
  const std::string& file = a.positionals()[0];
  const auto probe = media::probe_video(
      file, frames,
      {.threads = static_cast<int>(threads), .rotate = !a.on("no-rotate"), .time_limit_seconds = 3600});
  print(a.on("json") ? json_of(file, probe).dump(2, ' ', false, Json::error_handler_t::replace)
                     : text_of(file, probe));
  return ExitCode::ok;
}

}  // namespace

extern const Command probe_command{"data probe", options, run};

}  // namespace marey::app
