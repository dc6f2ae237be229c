#include "measure/count.h"

#include <algorithm>
#include <map>

#include "measure/count_jobs.h"

namespace attnroof {
namespace {

constexpr CounterGroup traffic = CounterGroup::traffic, operations = CounterGroup::operations,
                       instructions = CounterGroup::instructions;

std::vector<Counter> counters_of_group(CounterGroup group) {
    std::vector<Counter> counters;
    for (const CounterInfo& info : counter_table())
        if (info.group == group) counters.push_back(info.counter);
    return counters;
}

/// The group's counters without a value, for one reason.
CounterSet none_counted(CounterGroup group, const std::string& why) {
    CounterSet set;
    for (Counter counter : counters_of_group(group)) set[counter] = {std::nullopt, "", why};
    return set;
}

/// What several ranges counted together; a value that one of them lacks, all lack.
CounterSet sum_of(const std::vector<CounterSet>& parts) {
    CounterSet sum = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
        for (auto& [counter, value] : sum) {
            const auto part = parts[i].find(counter);
            if (!value.value || part == parts[i].end()) continue;
            if (part->second.value)
                *value.value += *part->second.value;
            else
                value = part->second;
        }
    return sum;
}

/// `counters` of `with_drain` less the drain's own.
CounterSet less_drain(const CounterSet& with_drain, const CounterSet& drain,
                      const std::vector<Counter>& counters) {
    CounterSet settled;
    for (Counter counter : counters) {
        const auto whole = with_drain.find(counter);
        const auto own = drain.find(counter);
        if (whole == with_drain.end() || own == drain.end()) continue;
        CounterValue value = whole->second;
        if (value.value && own->second.value)
            value.value = std::max(0.0, *value.value - *own->second.value);
        else
            value = {std::nullopt, value.metric,
                     value.value ? "the drain's own bytes: " + own->second.reason : value.reason};
        settled.emplace(counter, std::move(value));
    }
    return settled;
}

/// Reads what was counted for the cases back out of the sets of the jobs.
class Collector {
  public:
    Collector(const JobBuilder& builder, const CountOutcome& outcome, const CounterSet& drain,
              std::int64_t cache_bytes)
        : builder_(builder), outcome_(outcome), drain_(drain), cache_bytes_(cache_bytes) {}

    CaseCounters counters_of(const CaseRanges& ranges) const {
        const Case& c = *ranges.of;
        CaseCounters counted;
        counted.passes = outcome_.passes;
        const std::vector<CounterSet> launched = launches_of(ranges);
        counted.in_range = sum_of(launched);
        if (const std::string* fault = builder_.fault_of(&c)) {
            counted.in_range.merge(none_counted(traffic, counting_failed + *fault));
            return counted;
        }
        counted.in_range.merge(CounterSet(outcome_.sets[ranges.in_range]));
        counted.settled = less_drain(outcome_.sets[ranges.settled], drain_,
                                     {Counter::hbm_read_bytes, Counter::hbm_write_bytes});
        for (std::size_t s = 0; s < ranges.steps.size(); ++s) {
            const KernelStep& step = c.kernel->steps[s];
            CounterSet set =
                less_drain(outcome_.sets[ranges.steps[s]], drain_, counters_of_group(traffic));
            set.insert(launched[s].begin(), launched[s].end());
            counted.steps.push_back(
                {step.name, std::move(set), step.traffic(c.problem, cache_bytes_), std::nullopt});
        }
        return counted;
    }

  private:
    /// Operations and instructions, one set a step.
    std::vector<CounterSet> launches_of(const CaseRanges& ranges) const {
        std::vector<CounterSet> steps;
        for (std::size_t s = 0; s < ranges.operations.size(); ++s) {
            steps.push_back(set_of(operations, ranges, ranges.operations[s]));
            steps.back().merge(
                of_whole(set_of(instructions, ranges, ranges.instructions[s]), ranges.part));
        }
        return steps;
    }

    CounterSet set_of(CounterGroup group, const CaseRanges& ranges, std::size_t range) const {
        const std::string* fault = builder_.fault_of(ranges.counted_with, group);
        return fault ? none_counted(group, counting_failed + *fault) : outcome_.sets[range];
    }

    const JobBuilder& builder_;
    const CountOutcome& outcome_;
    const CounterSet& drain_;
    std::int64_t cache_bytes_;
};

void strike(CaseCounters& counted, const std::map<Counter, std::string>& unusable) {
    strike(counted.in_range, unusable);
    strike(counted.settled, unusable);
    for (StepCounters& step : counted.steps) strike(step.counters, unusable);
}

}  // namespace

std::optional<double> executed_flops(const CounterSet& set) {
    double total = 0;
    bool any = false;
    for (const CounterInfo& info : counter_table()) {
        if (info.flops_each == 0) continue;
        const auto found = set.find(info.counter);
        if (found == set.end() || !found->second.value) return std::nullopt;
        total += info.flops_each * *found->second.value;
        any = true;
    }
    return any ? std::optional(total) : std::nullopt;
}

std::optional<double> CaseCounters::executed_flops() const {
    return attnroof::executed_flops(in_range);
}

CountedSweep count_cases(DeviceArena& arena, const std::vector<const Case*>& cases,
                         std::uint64_t seed, bool selftest) {
    Backend& backend = arena.backend();
    JobBuilder builder(arena, seed);
    const std::vector<Calibration> calibrations =
        selftest ? backend.calibrations() : std::vector<Calibration>{};
    builder.add_calibrations(calibrations);
    builder.add_drain();
    for (std::size_t i = 0; i < cases.size(); ++i) builder.add_case(i, *cases[i]);

    const CountOutcome outcome = backend.count(builder.jobs());
    CountedSweep sweep;
    sweep.closed_gate = outcome.closed_gate;
    sweep.remedy = outcome.remedy;
    sweep.fault = outcome.fault;
    sweep.selftest.reason = selftest ? outcome.closed_gate : "not asked for";
    sweep.cases.resize(cases.size());
    if (outcome.sets.empty()) return sweep;

    if (const std::string* fault = builder.fault_of(nullptr))
        sweep.selftest.reason = "the self-test failed: " + *fault;
    else if (selftest)
        sweep.selftest = judge(calibrations, outcome.sets);
    const Collector collector(builder, outcome, outcome.sets[calibrations.size()],
                              backend.facts().cache_bytes);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        sweep.cases[i] = collector.counters_of(builder.cases()[i]);
        strike(sweep.cases[i], sweep.selftest.unusable());
    }
    return sweep;
}

}  // namespace attnroof
