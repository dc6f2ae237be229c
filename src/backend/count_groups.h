// Counting group by group: each job runs only for the counters that it asks for.
#pragma once

#include <functional>
#include <vector>

#include "backend/counters.h"

namespace attnroof {

/// Counts the counters of one group in one session; sets as in CountOutcome. Throws only what a job
/// throws.
using CountSession =
    std::function<CountOutcome(CounterGroup group, const std::vector<CountJob>& jobs)>;

/// A session for each group that a job asks for, traffic first, merged. The first session decides
/// whether the gate is shut, and what its jobs throw goes through. When a later one fails, what was
/// counted stands: the failed group's counters have a reason in the place of values.
CountOutcome count_by_group(const std::vector<CountJob>& jobs, const CountSession& session);

}  // namespace attnroof
