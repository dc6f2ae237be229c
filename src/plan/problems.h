// config -> plan: the cross product of the axes.
#pragma once

#include <vector>

#include "config/config.h"

namespace attnroof {

/// Every problem of the config, outermost pass, then dtype, mask, head_dim, lengths, batch, heads,
/// kv_heads. Throws UsageError when sizes of a problem do not fit in 64 bits (so that later
/// arithmetic cannot overflow) or when the sweep has more than 100,000 cases.
std::vector<AttentionProblem> list_problems(const SweepConfig& config);

}  // namespace attnroof
