// What the parameters of SlowFast leave to a rule.
#pragma once
#include "slowfast.hpp"

namespace marey {

std::vector<std::int64_t> blocks_of_depth(int depth);                       // empty: no such ResNet
std::vector<std::int64_t> stage_blocks(const SlowFast::Params&);            // blocks of each stage
std::int64_t fast_width(const SlowFast::Params&, std::int64_t slow_width);  // slow_width · beta, at least 1

}  // namespace marey
