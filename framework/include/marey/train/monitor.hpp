// For hooks that watch one metric: which way it improves, and whether the run has it.
#pragma once
#include <marey/core/schema.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace marey {

struct Run;

enum class Better { max, min };

// Whether `value` beats `than` by more than `min_delta`. A value that is no number never does; any number
// beats one that is none.
bool improves(Better, double value, double than, double min_delta = 0);

// Throws UsageError when no evaluation of this run gives the metric. `hook`: who asks, for the message.
void check_monitor(const Run&, std::string_view hook, const std::string& metric);

}  // namespace marey

template <>
struct marey::EnumNames<marey::Better> {
  static constexpr std::array names{std::pair{marey::Better::max, "max"},
                                    std::pair{marey::Better::min, "min"}};
};
