// launch: times a case without counters until the median is known well enough.
#pragma once

#include <vector>

#include "backend/backend.h"
#include "config/config.h"
#include "measure/buffers.h"

namespace attnroof {

struct TimeStats {
    double median_s = 0;
    double min_s = 0;
    double ci95_low_s = 0;  // order-statistic interval of the median, no distribution assumed
    double ci95_high_s = 0;
    std::vector<double> samples_s;  // all, in the order taken
    ClockReading clocks;            // read beside the samples; the SM clock is their mean
};

/// Median, minimum and the 95 % interval of the median from the binomial order statistics
/// (Conover, Practical Nonparametric Statistics, section 3.2). Needs at least one sample; with
/// fewer than six the interval is [min, max], which holds less than 95 %.
TimeStats summarize(std::vector<double> samples_s);

/// Warms up, then samples until the interval is within plan.target_ci of the median or the time or
/// sample budget is spent.
TimeStats time_case(Backend& backend, const StreamWork& work, bool cold, const TimingPlan& plan);

/// Median time of each step alone, from a cold cache, with the steps before it run outside the
/// timed part. A few samples each, at most half of plan.max_seconds together: these explain a case,
/// they are not its result.
std::vector<double> time_steps(Backend& backend, const CaseBuffers& buffers,
                               const TimingPlan& plan);

}  // namespace attnroof
