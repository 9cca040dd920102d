#include "app/arguments.hpp"

#include <marey/core/diagnostics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace marey::app {

namespace po = boost::program_options;

namespace {

// A positional argument that follows an option with an optional value must not become its value: neither a
// recipe nor an override. What is neither, such as a folder that is not there, is one.
bool can_be_value(const std::string& word, const std::string& bare) {
  std::error_code ignored;
  if (word == bare || std::filesystem::is_directory(word, ignored)) return true;
  const bool positional = word.empty() || word.find_first_of("-+~") == 0 || word.ends_with(".toml") ||
                          word.find('=') != std::string::npos || std::filesystem::exists(word, ignored);
  return !positional;
}

}  // namespace

Arguments::Arguments(const CommandName& command) : command_(command) {
  add_list("plugin", "a plugin file, or a folder of plugins, to load besides the installed ones");
  add_switch("quiet", "show warnings and errors only");
  add_switch("help", "show this help");
}

void Arguments::add_switch(const char* name, const char* help) {
  names_.emplace_back(name);
  options_.add_options()(name, po::bool_switch(), help);
}

void Arguments::add_text(const char* name, const char* help, std::string fallback) {
  names_.emplace_back(name);
  options_.add_options()(
      name, po::value<std::string>()->value_name("TEXT")->default_value(fallback, fallback), help);
}

void Arguments::add_number(const char* name, const char* help, std::int64_t fallback) {
  names_.emplace_back(name);
  options_.add_options()(name, po::value<std::int64_t>()->value_name("N")->default_value(fallback), help);
}

void Arguments::add_list(const char* name, const char* help) {
  names_.emplace_back(name);
  options_.add_options()(name, po::value<std::vector<std::string>>()->value_name("PATH"), help);
}

void Arguments::add_optional_text(const char* name, const char* help, std::string bare) {
  optional_values_.emplace_back(name, bare);
  add_text(name, help);
}

void Arguments::take_positionals(std::size_t at_least, std::size_t at_most) {
  at_least_ = at_least;
  at_most_ = at_most;
}

void Arguments::join_optional_values(std::vector<std::string>& words) const {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (const auto& [name, bare] : optional_values_) {
      if (words[i] != "--" + name) continue;
      if (i + 1 < words.size() && can_be_value(words[i + 1], bare)) {
        words[i] += "=" + words[i + 1];
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      } else {
        words[i] += "=" + bare;
      }
    }
}

void Arguments::parse(std::vector<std::string> words) {
  const auto fail = [this](const std::string& what) {
    throw UsageError(fmt::format("{}\nusage: marey {} {}\n`marey {} --help` lists the options", what,
                                 command_.name, command_.arguments, command_.name));
  };
  join_optional_values(words);
  // The one short option, for what everybody writes.
  if (std::ranges::find(names_, "out") != names_.end()) std::ranges::replace(words, "-o", "--out");
  po::options_description all;
  all.add(options_).add_options()("positional", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("positional", -1);
  namespace style = po::command_line_style;
  try {
    po::store(po::command_line_parser(words)
                  .options(all)
                  .positional(positional)
                  .style(style::unix_style & ~style::allow_guessing & ~style::allow_short)
                  .run(),
              values_);
  } catch (const po::unknown_option& e) {
    std::string name = e.get_option_name();
    name.erase(0, name.find_first_not_of('-'));
    std::vector<std::string> known;
    for (const std::string& n : names_) known.push_back("--" + n);
    fail(fmt::format("marey {} has no option --{}{}", command_.name, name, did_you_mean("--" + name, known)));
  } catch (const po::error& e) {
    fail(e.what());
  }
  if (values_.count("positional")) positionals_ = values_["positional"].as<std::vector<std::string>>();
  if (on("help")) return;
  if (positionals_.size() < at_least_)
    fail(fmt::format("marey {} needs {}", command_.name, command_.arguments));
  if (positionals_.size() > at_most_)
    fail(fmt::format("unexpected '{}': marey {} takes {}", positionals_[at_most_], command_.name,
                     at_most_ == 0 ? "no such argument" : std::string(command_.arguments)));
}

std::string Arguments::help() const {
  std::ostringstream out;
  out << "usage: marey " << command_.name << ' ' << command_.arguments << "\n"
      << command_.summary << "\n\n"
      << options_;
  return out.str();
}

std::vector<std::string> Arguments::list(const char* name) const {
  return values_.count(name) ? values_[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

}  // namespace marey::app
