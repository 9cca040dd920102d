// marey data index LIST [--root FOLDER] [--jobs N] [-o FILE]
#include "app/commands.hpp"
#include "app/host.hpp"
#include "app/list_options.hpp"

#include <marey/core/log.hpp>
#include <marey/data/video_index.hpp>

#include <fmt/format.h>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(1, 1);
  add_list_options(a);
  a.add_text("out", "the file to write (default: LIST.index.tsv, where VideoDataset looks for it)");
}

ExitCode run(const Arguments& a) {
  const data::IndexOptions o{.list = a.positionals()[0],
                             .root = root_of(a),
                             .out = a.given("out") ? a.text("out") : "",
                             .delimiter = a.text("delimiter"),
                             .jobs = jobs_of(a)};
  const auto report = data::build_index(o, [](std::size_t done, std::size_t total) {
    log::set_status_line(fmt::format("{} of {} files", done, total));
  });
  log::set_status_line("");
  for (const auto& v : report.index.videos())
    if (!v.error.empty()) log::warning(v.error);
  log::info(fmt::format("{}: {} files scanned, {} unchanged, {} unreadable",
                        (o.out.empty() ? data::index_file_of(o.list) : o.out).string(), report.scanned,
                        report.kept, report.unreadable));
  return report.unreadable > 0 ? ExitCode::data : ExitCode::ok;
}

}  // namespace

extern const Command index_command{"data index", options, run};

}  // namespace marey::app
