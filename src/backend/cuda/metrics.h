// Which hardware metrics stand for a logical counter. Plain data: no CUDA or CUPTI header.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/metric_plan.h"

namespace attnroof::cuda {

/// Resolves every logical counter against the base metrics that CUPTI lists for `chip`. Never names
/// a metric the chip lacks: CUPTI would refuse the whole batch without saying which one it was.
std::vector<ResolvedCounter> resolve_counters(std::string_view chip,
                                              const std::set<std::string>& base_metrics);

/// Those of one group: counted in a session of their own.
std::vector<ResolvedCounter> of_group(const std::vector<ResolvedCounter>& counters,
                                      CounterGroup group);

/// The name to ask CUPTI for: the sum over all instances of the unit.
std::string metric_name(const MetricTerm& term);

/// Every hardware metric that the counters need, once each, in the order of first use.
std::vector<std::string> metric_names(const std::vector<ResolvedCounter>& counters);

}  // namespace attnroof::cuda
