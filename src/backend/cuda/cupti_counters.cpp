#include "backend/cuda/cupti_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backend/count_groups.h"
#include "backend/cuda/counter_gate.h"
#include "backend/cuda/cupti_host.h"
#include "backend/cuda/cupti_library.h"
#include "backend/cuda/cupti_range.h"

namespace attnroof::cuda {
namespace {

/// Adds up one counter's terms. `values` belong to `names`, one each.
CounterValue value_of(const ResolvedCounter& counter, const std::vector<std::string>& names,
                      const std::vector<double>& values) {
    if (counter.terms.empty()) return {std::nullopt, "", counter.reason};
    double total = 0;
    for (const MetricTerm& term : counter.terms) {
        const std::string name = metric_name(term);
        const auto at = std::find(names.begin(), names.end(), name) - names.begin();
        const double value = values[static_cast<std::size_t>(at)];
        if (!std::isfinite(value))
            return {std::nullopt, "", fmt::format("CUPTI returned no value for {}", name)};
        total += term.scale * value;
    }
    return {total, describe(counter.terms), ""};
}

CounterSet set_of(const std::vector<ResolvedCounter>& counters,
                  const std::vector<std::string>& names, const std::vector<double>& values) {
    CounterSet set;
    for (const ResolvedCounter& counter : counters)
        set[counter.counter] = value_of(counter, names, values);
    return set;
}

}  // namespace

CuptiCounters::CuptiCounters(int device) {
    Gate gate;
    try {
        make_plan(device);
        gate = privilege_gate();
    } catch (const GateShut& shut) {
        gate = shut.gate();
    } catch (const CuptiError& error) {
        gate = gate_of(error.code(), error.what());
    }
    plan_.closed_gate = gate.closed;
    plan_.remedy = gate.remedy;
}

void CuptiCounters::make_plan(int device) {
    library_ = open_cupti();
    plan_.library = library_->handle.name();
    plan_.chip = profiled_chip(*library_, device);
    counters_ = resolve_counters(plan_.chip, CuptiHost(library_, plan_.chip).base_metrics());
    plan_.passes = passes_of(library_, plan_.chip, counters_);
}

CountOutcome CuptiCounters::count_group(CounterGroup group, const std::vector<CountJob>& jobs,
                                        const std::function<void()>& synchronize) const {
    CountOutcome outcome;
    const std::vector<ResolvedCounter> counters = of_group(counters_, group);
    const std::vector<std::string> names = metric_names(counters);
    if (names.empty()) {  // each counter has its reason: nothing has to run
        outcome.sets.assign(jobs.size(), set_of(counters, names, {}));
        return outcome;
    }
    try {
        CuptiHost host(library_, plan_.chip);
        const RangeValues values = count_ranges(*library_, host, names, jobs, synchronize);
        outcome.passes = values.passes;
        for (const std::vector<double>& row : values.rows)
            outcome.sets.push_back(set_of(counters, names, row));
    } catch (const GateShut& shut) {
        outcome.closed_gate = shut.gate().closed;
        outcome.remedy = shut.gate().remedy;
    } catch (const CuptiError& error) {
        const Gate gate = gate_of(error.code(), error.what());
        outcome.closed_gate = gate.closed;
        outcome.remedy = gate.remedy;
    }
    return outcome;
}

CountOutcome CuptiCounters::count(const std::vector<CountJob>& jobs,
                                  const std::function<void()>& synchronize) const {
    // A plan without passes never got as far as a schedule. A gate that only looked shut is tried.
    if (plan_.passes == 0 || jobs.empty()) {
        CountOutcome outcome;
        outcome.closed_gate = plan_.closed_gate;
        outcome.remedy = plan_.remedy;
        return outcome;
    }
    return count_by_group(jobs, [&](CounterGroup group, const std::vector<CountJob>& chosen) {
        return count_group(group, chosen, synchronize);
    });
}

}  // namespace attnroof::cuda
