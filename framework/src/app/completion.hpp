// Shell completion, answered by the front alone from share/marey/completion.json (written when Marey is
// built).
#pragma once
#include <string>
#include <vector>

namespace marey::app {

int print_completion_script(const std::vector<std::string>& words);  // completion bash|zsh|fish
// complete-words WORD … : what the last word may become, one a line. Silent about every error.
int complete_words(const std::vector<std::string>& words);

}  // namespace marey::app
