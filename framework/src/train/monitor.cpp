#include <marey/core/diagnostics.hpp>
#include <marey/core/error.hpp>
#include <marey/train/monitor.hpp>
#include <marey/train/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace marey {

bool improves(Better better, double value, double than, double min_delta) {
  if (std::isnan(value)) return false;
  if (std::isnan(than)) return true;
  return better == Better::max ? value > than + min_delta : value < than - min_delta;
}

void check_monitor(const Run& run, std::string_view hook, const std::string& metric) {
  if (!run.evaluates)
    throw UsageError(fmt::format(
        "{}: monitor = \"{}\", but this run never evaluates; give it [data.val] and a train.eval_interval "
        "above 0, or drop the monitor or the hook",
        hook, metric));
  if (std::find(run.metric_keys.begin(), run.metric_keys.end(), metric) == run.metric_keys.end())
    throw UsageError(fmt::format("{}: monitor = \"{}\", which no metric of this run gives (it has {}){}",
                                 hook, metric, fmt::join(run.metric_keys, ", "),
                                 did_you_mean(metric, run.metric_keys)));
}

}  // namespace marey
