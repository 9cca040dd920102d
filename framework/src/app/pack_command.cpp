// marey data pack LIST… --out FOLDER [--root FOLDER] [--frames] [--shard-mb 1024]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/log.hpp>
#include <marey/data/packing.hpp>

#include <fmt/format.h>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(1);
  a.add_text("out", "the folder to write; required");
  a.add_text("root", "where relative paths of the lists start (default: each list's own folder)");
  a.add_switch("frames", "the lists name folders of numbered pictures, not videos");
  a.add_text("filename-tmpl", "with --frames: which files of a folder are its pictures", "img_{:05}.jpg");
  a.add_text("delimiter", "between path and label; a blank stands for tabs as well", " ");
  a.add_number("shard-mb", "a tar file is closed when it has reached this size, in MiB", 1024);
}

ExitCode run(const Arguments& a) {
  if (!a.given("out")) throw UsageError("--out is missing; expected the folder to write");
  const auto shard_mb = a.number("shard-mb");
  if (shard_mb < 1 || shard_mb > 1'000'000)
    throw UsageError(fmt::format("--shard-mb {}: expected from 1 to 1000000", shard_mb));
  data::PackOptions o{.out = a.text("out"),
                      .root = a.given("root") ? a.text("root") : "",
                      .frames = a.on("frames"),
                      .delimiter = a.text("delimiter"),
                      .name_template = a.text("filename-tmpl"),
                      .shard_bytes = shard_mb << 20};
  for (const auto& list : a.positionals()) o.lists.emplace_back(list);
  const auto report = data::pack_lists(o, [](std::size_t done, std::size_t total) {
    log::set_status_line(fmt::format("{} of {}", done, total));
  });
  log::set_status_line("");
  log::info(
      fmt::format("{}: {} {} ({} files) in {} tar files of {:.1f} MiB; set pack = \"{}\" in the recipe's "
                  "data set",
                  o.out.string(), report.sources, o.frames ? "folders" : "videos", report.files,
                  report.shards, static_cast<double>(report.bytes) / (1 << 20), o.out.string()));
  return ExitCode::ok;
}

}  // namespace

extern const Command pack_command{"data pack", options, run};

}  // namespace marey::app
