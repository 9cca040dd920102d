// marey data stats LIST [--index FILE] [--classes FILE] [--json]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/log.hpp>
#include <marey/data/class_names.hpp>
#include <marey/data/list_stats.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace marey::app {
namespace {

using Json = nlohmann::ordered_json;
using Frequencies = std::vector<std::pair<std::string, std::size_t>>;

void options(Arguments& a) {
  a.take_positionals(1, 1);
  a.add_text("delimiter", "between path and label; a blank stands for tabs as well", " ");
  a.add_text("index", "what marey data index wrote (default: LIST.index.tsv where it exists)");
  a.add_text("classes", "file of class names, one a line");
  a.add_switch("json", "print one JSON document");
}

Json json_of(const data::Spread& s) {
  return {{"least", s.least}, {"median", s.median}, {"most", s.most}, {"mean", s.mean}};
}
Json json_of(const Frequencies& f) {
  Json out = Json::object();
  for (const auto& [name, count] : f) out[name] = count;
  return out;
}

Json json_of(const data::ListStats& s) {
  Json out{{"rows", s.rows},
           {"unlabelled", s.unlabelled},
           {"classes", s.per_class.size()},
           {"empty_classes", s.empty_classes},
           {"per_class", s.per_class},
           {"class_sizes", json_of(s.class_sizes)},
           {"indexed", s.known},
           {"unreadable", s.unreadable}};
  if (s.known == 0) return out;
  out["seconds"] = s.seconds;
  out["frames"] = json_of(s.frames);
  out["durations"] = json_of(s.durations);
  out["key_frame_distance"] = json_of(s.key_frame_distance);
  out["rates"] = json_of(s.rates);
  out["sizes"] = json_of(s.sizes);
  out["codecs"] = json_of(s.codecs);
  return out;
}

std::string shown(const data::Spread& s) {
  return fmt::format("{:.4g} to {:.4g}, median {:.4g}, mean {:.4g}", s.least, s.most, s.median, s.mean);
}
std::string shown(const Frequencies& f) {
  constexpr std::size_t most_shown = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(f.size(), most_shown); ++i)
    out += fmt::format("{}{} ({})", i ? ", " : "", f[i].first, f[i].second);
  if (f.size() > most_shown) out += fmt::format(", … and {} more", f.size() - most_shown);
  return out;
}

// The classes from the most to the least frequent; of many only both ends.
std::string class_table(const data::ListStats& s, const std::vector<std::string>& names) {
  constexpr std::size_t most_shown = 20;
  std::vector<std::size_t> order(s.per_class.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return s.per_class[a] > s.per_class[b]; });
  std::string out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.size() > most_shown && i == most_shown / 2) {
      out += fmt::format("  … {} more\n", order.size() - most_shown);
      i = order.size() - most_shown / 2;
    }
    const std::size_t c = order[i];
    out += fmt::format("  {:>8} {:5.1f} %  {}{}\n", s.per_class[c],
                       100.0 * static_cast<double>(s.per_class[c]) / static_cast<double>(s.rows), c,
                       c < names.size() ? " " + names[c] : "");
  }
  return out;
}

std::string text_of(const std::string& list, const data::ListStats& s,
                    const std::vector<std::string>& names) {
  std::string out = fmt::format("{}: {} rows", list, s.rows);
  if (s.unlabelled > 0)
    out += ", unlabelled\n";
  else
    out += fmt::format(", {} classes ({} without a row)\nrows of a class: {}\n{}", s.per_class.size(),
                       s.empty_classes, shown(s.class_sizes), class_table(s, names));
  if (s.known == 0) return out;
  out +=
      fmt::format("videos: {} known, {} unreadable, {:.2f} hours\n", s.known, s.unreadable, s.seconds / 3600);
  if (s.known == s.unreadable) return out;
  out += fmt::format("  frames            {}\n", shown(s.frames));
  out += fmt::format("  seconds           {}\n", shown(s.durations));
  out += fmt::format("  key frame every   {} frames\n", shown(s.key_frame_distance));
  out += fmt::format("  frames/s          {}\n", shown(s.rates));
  out += fmt::format("  size              {}\n", shown(s.sizes));
  out += fmt::format("  codec             {}\n", shown(s.codecs));
  return out;
}

ExitCode run(const Arguments& a) {
  const std::string& file = a.positionals()[0];
  const auto list = data::AnnotationList::read(file, {.delimiter = a.text("delimiter")});
  const std::filesystem::path index =
      a.given("index") ? std::filesystem::path(a.text("index")) : data::index_file_of(file);
  const bool has_index = a.given("index") || std::filesystem::exists(index);
  const auto stats = data::stats_of(list, has_index ? data::VideoIndex::read(index) : data::VideoIndex());
  const auto names =
      a.given("classes") ? data::read_class_names(a.text("classes")) : std::vector<std::string>{};
  for (const auto& warning : list.warnings()) log::warning(warning);
  print(a.on("json") ? json_of(stats).dump(2, ' ', false, Json::error_handler_t::replace)
                     : text_of(file, stats, names));
  if (!has_index) log::info(fmt::format("lengths, sizes and rates: run marey data index {} first", file));
  return ExitCode::ok;
}

}  // namespace

extern const Command stats_command{"data stats", options, run};

}  // namespace marey::app
