// Options of the commands that work on lists of videos.
#pragma once
#include "app/arguments.hpp"

#include <filesystem>

namespace marey::app {

void add_list_options(Arguments&);  // --root, --delimiter, --jobs
std::filesystem::path root_of(const Arguments&);
int jobs_of(const Arguments&);
// Throws UsageError when a number is out of its range.
std::int64_t number_between(const Arguments&, const char* name, std::int64_t least, std::int64_t most);
double real_between(const Arguments&, const char* name, double least, double most);

}  // namespace marey::app
