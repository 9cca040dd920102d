// marey data check LIST… [--jobs N] [--fix OUT] [--json]
#include "app/commands.hpp"
#include "app/host.hpp"
#include "app/list_options.hpp"

#include <marey/core/files.hpp>
#include <marey/core/log.hpp>
#include <marey/data/list_check.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace marey::app {
namespace {

using Json = nlohmann::ordered_json;

void options(Arguments& a) {
  a.take_positionals(1);
  add_list_options(a);
  a.add_number("min-frames", "shorter videos are called short", 2);
  a.add_text("fix", "write the last list without the rows that are named, to this file");
  a.add_switch("json", "print one JSON document");
}

std::string text_of(const data::ListCheckReport& report, const std::vector<std::filesystem::path>& lists) {
  std::string out;
  for (const auto& f : report.findings) {
    // Messages about a file begin with its name.
    const std::string place = fmt::format("{}:{}", lists[f.list].string(), f.line);
    out += fmt::format("{}: {}: {}: {}\n", place, name_of(f.trouble), f.path, f.what);
  }
  return out;
}

Json json_of(const data::ListCheckReport& report, const std::vector<std::filesystem::path>& lists) {
  Json findings = Json::array();
  for (const auto& f : report.findings)
    findings.push_back({{"list", lists[f.list].string()},
                        {"line", f.line},
                        {"path", f.path},
                        {"trouble", name_of(f.trouble)},
                        {"what", f.what}});
  return {{"rows", report.rows},
          {"files", report.files},
          {"frames", report.frames},
          {"findings", std::move(findings)}};
}

void fix(const data::ListCheckReport& report, const std::filesystem::path& list, std::size_t number,
         const std::filesystem::path& out) {
  std::vector<std::int64_t> lines;
  for (const auto& f : report.findings)
    if (f.list == number && (lines.empty() || lines.back() != f.line)) lines.push_back(f.line);
  write_file_atomically(out, data::without_lines(read_file(list), lines));
  log::info(fmt::format("{}: {} without {} rows", out.string(), list.string(), lines.size()));
}

ExitCode run(const Arguments& a) {
  data::ListCheckOptions o{.root = root_of(a),
                           .delimiter = a.text("delimiter"),
                           .jobs = jobs_of(a),
                           .min_frames = number_between(a, "min-frames", 0, 1'000'000'000)};
  for (const auto& list : a.positionals()) o.lists.emplace_back(list);
  const auto report = data::check_lists(o, [](std::size_t done, std::size_t total) {
    log::set_status_line(fmt::format("{} of {} files", done, total));
  });
  log::set_status_line("");
  if (a.on("json"))
    print(json_of(report, o.lists).dump(2, ' ', false, Json::error_handler_t::replace));
  else if (!report.findings.empty())
    print(text_of(report, o.lists));
  if (a.given("fix")) fix(report, o.lists.back(), o.lists.size() - 1, a.text("fix"));
  log::info(fmt::format("{} rows, {} files, {} frames decoded: {}", report.rows, report.files, report.frames,
                        report.findings.empty() ? std::string("all in order")
                                                : fmt::format("{} findings", report.findings.size())));
  return report.findings.empty() ? ExitCode::ok : ExitCode::data;
}

}  // namespace

extern const Command data_check_command{"data check", options, run};

}  // namespace marey::app
