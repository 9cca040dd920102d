// marey data rawframes SRC OUT [--fps 15] [--new-short 224] [--quality 2] [--ext jpg] [--jobs N] [--resume]
#include "app/commands.hpp"
#include "app/host.hpp"
#include "app/list_options.hpp"

#include <marey/core/log.hpp>
#include <marey/data/rawframes.hpp>

#include <fmt/format.h>

#include <thread>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(2, 2);
  a.add_number("level", "1: SRC holds videos; 2: SRC holds folders of videos, one a class", 2);
  a.add_text("fps", "rate of the pictures (default: every frame of the file)");
  a.add_number("new-short", "short side in pixels; 0: as the video", 0);
  a.add_number("new-width", "width in pixels; the height follows unless it is given", 0);
  a.add_number("new-height", "height in pixels; the width follows unless it is given", 0);
  a.add_text("ext", "jpg or png", "jpg");
  a.add_number("quality", "of jpg, as ffmpeg's -q:v: 1 (best) to 31", 2);
  a.add_number("jobs", "videos at a time; 0: one for each processor", 0);
  a.add_switch("resume", "keep the folders that are complete and go on");
}

int in_range(const Arguments& a, const char* name, int least, int most) {
  return static_cast<int>(number_between(a, name, least, most));
}

ExitCode run(const Arguments& a) {
  data::RawframesOptions o{.source = a.positionals()[0],
                           .out = a.positionals()[1],
                           .level = in_range(a, "level", 1, 2),
                           .fps = a.given("fps") ? real_between(a, "fps", 0.001, 1000) : 0,
                           .new_short = in_range(a, "new-short", 0, 8192),
                           .new_width = in_range(a, "new-width", 0, 8192),
                           .new_height = in_range(a, "new-height", 0, 8192),
                           .format = {a.text("ext"), in_range(a, "quality", 1, 31)},
                           .jobs = in_range(a, "jobs", 0, 256),
                           .resume = a.on("resume")};
  if (o.new_short > 0 && (o.new_width > 0 || o.new_height > 0))
    throw UsageError("--new-short goes without --new-width and --new-height");
  if (o.jobs == 0) o.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto report = data::build_rawframes(o, [](std::size_t done, std::size_t total) {
    log::set_status_line(fmt::format("{} of {} videos", done, total));
  });
  log::set_status_line("");
  for (const auto& v : report.videos)
    if (!v.error.empty()) log::error(v.error);
  log::info(fmt::format("{}: {} videos written, {} kept, {} failed; see rawframes.json and frames.txt there",
                        o.out.string(), report.written, report.kept, report.failed));
  return report.failed > 0 ? ExitCode::data : ExitCode::ok;
}

}  // namespace

extern const Command rawframes_command{"data rawframes", options, run};

}  // namespace marey::app
