// Which hardware metric stands for each logical counter, chip by chip. Needs no device.
#pragma once

#include <string>
#include <vector>

#include "backend/counters.h"

namespace attnroof {

/// One summand of a counter: `scale` times a hardware metric.
struct MetricTerm {
    std::string name;  // without a rollup: "dram__bytes_read"
    double scale = 1;
};

/// What a chip offers for a counter: the terms to add up, or the reason why there are none.
struct ResolvedCounter {
    Counter counter;
    std::vector<MetricTerm> terms;
    std::string reason;
};

/// "32 * a.sum + b.sum": what a report prints as the source of a value.
std::string describe(const std::vector<MetricTerm>& terms);

struct ChipPlan {
    std::string chip;
    std::vector<ResolvedCounter> counters;  // one a logical counter
    int passes = 0;                         // how often a case has to run for all of them
    std::string refused;                    // why the library has no metrics for this chip
};

struct MetricPlans {
    std::string library;  // "CUPTI 13.0.1 (PATH)"
    std::vector<ChipPlan> chips;
};

/// The plan of one chip ("GH100", any case), or of every chip that CUPTI lists when `chip` is
/// "all". Throws UsageError for a chip that is not listed or a build without CUPTI's headers,
/// DeviceError when there is no usable CUPTI.
MetricPlans metric_plans(const std::string& chip);

}  // namespace attnroof
