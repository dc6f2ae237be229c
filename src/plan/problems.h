// config -> plan: the cross product of the axes.
#pragma once

#include <vector>

#include "config/config.h"

namespace attnroof {

/// True when no later sum of the problem's elements, bytes or pairs leaves 64 bits.
bool sizes_fit(const AttentionProblem& problem);

/// Every problem of the config, outermost pass, then dtype, mask, head_dim, lengths, batch, heads,
/// kv_heads. Throws UsageError when sizes of a problem do not fit in 64 bits (so that later
/// arithmetic cannot overflow) or when the sweep has more than 100,000 cases.
std::vector<AttentionProblem> list_problems(const SweepConfig& config);

}  // namespace attnroof
