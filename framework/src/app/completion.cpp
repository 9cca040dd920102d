#include "app/completion.hpp"

#include "app/command_names.hpp"
#include "app/complete_override.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace marey::app {
namespace {

constexpr const char* bash_script = R"(_marey() {
  local words current=${COMP_LINE:0:COMP_POINT} reply
  read -ra words <<<"$current"
  [[ $current == *' ' ]] && words+=('')
  current=${words[-1]}
  COMPREPLY=()
  while IFS= read -r reply; do
    [[ $current == *=* ]] && reply=${reply#*=}   # bash takes '=' for the start of a word
    COMPREPLY+=("$reply")
  done < <("${words[0]}" complete-words "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -ge 1 && ( ${COMPREPLY[0]} == *= || ${COMPREPLY[0]} == *. ) ]] && compopt -o nospace
}
complete -o default -F _marey marey
)";

constexpr const char* zsh_script = R"(#compdef marey
_marey() {
  local -a replies
  replies=("${(@f)$("${words[1]}" complete-words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n ${replies[1]} ]]; then
    if [[ ${replies[1]} == *[=.] ]]; then compadd -S '' -- $replies; else compadd -- $replies; fi
  else
    _files
  fi
}
compdef _marey marey
)";

constexpr const char* fish_script =
    R"(complete -c marey -a '(marey complete-words (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
)";

nlohmann::json completion_data() {
  return nlohmann::json::parse(read_file(installed_share() / "completion.json"));
}

bool takes_overrides(std::string_view command) {
  return command == "train" || command == "test" || command == "check" || command == "config";
}

// After the command's name. `words` ends with the one under the cursor.
std::vector<std::string> for_command(const std::string& command, const std::vector<std::string>& words) {
  const std::string& current = words.back();
  const nlohmann::json data = completion_data();
  std::vector<std::string> out;
  if (current.starts_with("--")) {
    for (const std::string& option : data.at("options").value(command, std::vector<std::string>{}))
      out.push_back("--" + option);
    return out;
  }
  const auto& definitions = data.at("schema").at("$defs");
  const bool kinds = command == "list" || (command == "new plugin" && words.size() == 1);
  if (kinds || command == "describe") {
    for (const auto& [key, value] : definitions.items()) {
      const auto slash = key.find('/');
      if (kinds == (slash == std::string::npos)) out.push_back(kinds ? key : key.substr(slash + 1));
    }
  } else if (takes_overrides(command)) {
    const auto recipe =
        std::find_if(words.begin(), words.end() - 1, [](const auto& w) { return w.ends_with(".toml"); });
    if (recipe != words.end() - 1) out = complete_override(current, data.at("schema"), *recipe);
  }
  return out;
}

std::vector<std::string> candidates(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  if (words.size() == 1) {
    for (const auto& c : command_names()) out.emplace_back(c.name.substr(0, c.name.find(' ')));
    return out;
  }
  for (const auto& c : command_names()) {
    const auto space = c.name.find(' ');
    if (words[0] != c.name.substr(0, space)) continue;
    if (space == std::string_view::npos) {
      if (c.name == "completion") return {"bash", "zsh", "fish"};
      return for_command(words[0], {words.begin() + 1, words.end()});
    }
    if (words.size() == 2) out.emplace_back(c.name.substr(space + 1));
    if (words.size() > 2 && words[1] == c.name.substr(space + 1))
      return for_command(std::string(c.name), {words.begin() + 2, words.end()});
  }
  return out;
}

}  // namespace

int print_completion_script(const std::vector<std::string>& words) {
  const std::string shell = words.size() > 1 ? words[1] : "";
  const char* script = shell == "bash"   ? bash_script
                       : shell == "zsh"  ? zsh_script
                       : shell == "fish" ? fish_script
                                         : nullptr;
  if (!script) {
    std::fprintf(
        stderr,
        "error: expected bash, zsh or fish, got '%s'\n  for example: source <(marey completion bash)\n",
        shell.c_str());
    return static_cast<int>(ExitCode::usage);
  }
  std::fputs(script, stdout);
  return 0;
}

int complete_words(const std::vector<std::string>& words) {
  if (words.size() < 2) return 0;
  try {
    auto found = candidates({words.begin() + 1, words.end()});
    std::erase_if(found, [&](const std::string& c) { return !c.starts_with(words.back()); });
    std::ranges::sort(found);
    const auto same = std::ranges::unique(found);
    found.erase(same.begin(), same.end());
    for (const std::string& c : found) std::puts(c.c_str());
  } catch (const std::exception&) {  // a shell has no place for a message
  }
  return 0;
}

}  // namespace marey::app
