// What the parameters of SlowFast leave to a rule.
#pragma once
#include "slowfast.hpp"

namespace marey {

std::vector<std::int64_t> stage_blocks(const SlowFast::Params&);            // of each slow stage
std::vector<std::int64_t> fast_stage_blocks(const SlowFast::Params&);       // of each fast stage
std::int64_t fast_width(const SlowFast::Params&, std::int64_t slow_width);  // slow_width · beta, at least 1

}  // namespace marey
