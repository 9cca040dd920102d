// The arguments of one command.
#pragma once
#include "app/command_names.hpp"

#include <boost/program_options.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace marey::app {

class Arguments {
 public:
  explicit Arguments(const CommandName&);

  // Declared by the command. A switch takes no value; others take one.
  void add_switch(const char* name, const char* help);
  void add_text(const char* name, const char* help, std::string fallback = {});
  void add_number(const char* name, const char* help, std::int64_t fallback);
  void add_list(const char* name, const char* help);  // may be given several times
  // `--name`, `--name=VALUE`, or `--name VALUE` where VALUE can be no recipe and no override; alone it means
  // `bare`.
  void add_optional_text(const char* name, const char* help, std::string bare);
  void take_positionals(std::size_t at_least, std::size_t at_most = static_cast<std::size_t>(-1));

  // Throws UsageError, with a suggestion for unknown options.
  void parse(std::vector<std::string> words);
  std::string help() const;

  bool on(const char* name) const { return values_[name].as<bool>(); }
  bool given(const char* name) const { return values_.count(name) && !values_[name].defaulted(); }
  const std::string& text(const char* name) const { return values_[name].as<std::string>(); }
  std::int64_t number(const char* name) const { return values_[name].as<std::int64_t>(); }
  std::vector<std::string> list(const char* name) const;
  const std::vector<std::string>& positionals() const { return positionals_; }
  const CommandName& command() const { return command_; }
  const std::vector<std::string>& names() const { return names_; }  // of the options

 private:
  void join_optional_values(std::vector<std::string>& words) const;

  CommandName command_;
  boost::program_options::options_description options_{"Options"};
  boost::program_options::variables_map values_;
  std::vector<std::string> names_, positionals_;
  std::vector<std::pair<std::string, std::string>> optional_values_;  // name, bare
  std::size_t at_least_ = 0, at_most_ = 0;
};

}  // namespace marey::app
