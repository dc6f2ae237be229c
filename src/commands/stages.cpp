#include "commands/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "commands/outcome.h"
#include "commands/terminal.h"
#include "errors.h"
#include "roofline/throttle.h"

namespace attnroof {
namespace {

constexpr int sampled_rows = 18;

/// The steps of a kernel of several, timed but not yet counted.
std::vector<StepCounters> timed_steps(Backend& backend, const CaseBuffers& buffers,
                                      const TimingPlan& plan) {
    std::vector<StepCounters> steps;
    if (buffers.kernel->steps.size() < 2) return steps;
    const std::vector<double> medians = time_steps(backend, buffers, plan);
    for (std::size_t i = 0; i < medians.size(); ++i) {
        const KernelStep& step = buffers.kernel->steps[i];
        const Traffic modelled = step.traffic(buffers.problem, backend.facts().cache_bytes);
        steps.push_back({step.name, {}, modelled, medians[i]});
    }
    return steps;
}

/// Puts the counters beside the times of the steps.
void keep_counted(CaseResult& result, CaseCounters counted) {
    std::vector<StepCounters> steps = std::move(result.counted.steps);
    for (std::size_t s = 0; s < std::min(counted.steps.size(), steps.size()); ++s)
        steps[s].counters = std::move(counted.steps[s].counters);
    result.counted = std::move(counted);
    result.counted.steps = std::move(steps);
}

bool stopped(const SweepEvents& events) { return events.stop && events.stop(); }

void begin(const SweepEvents& events, const std::string& what) {
    if (events.begin) events.begin(what);
}

/// Without ceilings points have nothing to be held against; times and bytes stand.
void measure_ceilings(Backend& backend, Report& report) {
    try {
        report.ceilings = backend.measure_ceilings();
    } catch (const std::exception& error) {
        note("no ceilings: {}", error.what());
    }
}

void skip_from(std::size_t first, const std::vector<Case>& plan, Report& report,
               const std::string& why) {
    for (std::size_t i = first; i < plan.size(); ++i) {
        if (plan[i].status != Status::ok) continue;
        report.cases[i].plan.status = Status::skipped;
        report.cases[i].plan.reason = why;
    }
    note("{}", why);
}

/// False when the device was lost on the way.
bool measure_cases(DeviceArena& arena, const std::vector<Case>& plan, Report& report,
                   const SweepEvents& events) {
    for (std::size_t i = 0; i < plan.size() && !stopped(events); ++i) {
        begin(events, plan[i].id);
        if (plan[i].status == Status::ok) measure_case(arena, report.cases[i], report.config);
        const bool failed = report.cases[i].plan.status == Status::failed;
        const std::string lost = failed ? arena.backend().lost() : "";
        if (!lost.empty()) skip_from(i + 1, plan, report, "not run: " + lost);
        if (events.case_done) events.case_done();
        if (!lost.empty()) return false;
    }
    return true;
}

/// Count: every case that was timed and, when resumed, not counted yet, all together.
void count(DeviceArena& arena, Report& report, const SweepEvents& events) {
    std::vector<CaseResult*> timed;
    for (CaseResult& result : report.cases)
        if (result.plan.status == Status::ok && result.time && result.counted.in_range.empty())
            timed.push_back(&result);
    if (timed.empty()) return;
    std::vector<const Case*> cases;
    for (const CaseResult* result : timed) cases.push_back(&result->plan);

    begin(events, fmt::format("counting {} cases", cases.size()));
    CountedSweep counted;
    try {
        counted = count_cases(arena, cases, report.config.seed, report.config.selftest);
    } catch (const std::exception& error) {
        counted.cases.resize(cases.size());
        counted.closed_gate = fmt::format("counting ended early: {}", error.what());
        counted.remedy = "run again; attnroof doctor looks at the counters";
    }
    report.counters_closed_gate = counted.closed_gate;
    report.counters_remedy = counted.remedy;
    if (!counted.closed_gate.empty())
        note("no counters, bytes are modelled: {}; {}", counted.closed_gate, counted.remedy);
    if (!counted.fault.empty()) note("{}", counted.fault);
    for (const auto& [counter, reason] : counted.selftest.unusable())
        note("{}: {}", name(counter), reason);
    report.selftest = std::move(counted.selftest);
    for (std::size_t i = 0; i < timed.size(); ++i)
        keep_counted(*timed[i], std::move(counted.cases[i]));
}

}  // namespace

void measure_case(DeviceArena& arena, CaseResult& result, const SweepConfig& config) {
    Backend& backend = arena.backend();
    const Case& c = result.plan;
    result.plan.status = Status::ok;
    result.plan.reason.clear();
    try {
        const CaseBuffers buffers(arena, *c.kernel, c.problem, Distribution::normal, config.seed);
        result.allocated_bytes = arena.bytes_taken_for(result.footprint_bytes);
        result.check = verify_case(backend, buffers, sampled_rows, config.seed);
        if (const auto fault = fault_of(*result.check)) {
            result.plan.status = Status::wrong;
            result.plan.reason = *fault;
            arena.clear();  // what wrote wrong may have written into the inputs
            return;
        }
        result.time =
            time_case(backend, buffers.all_steps(), c.cache == CacheMode::cold, config.timing);
        result.counted.steps = timed_steps(backend, buffers, config.timing);
    } catch (const OutOfMemory& error) {
        result.plan.status = Status::skipped;
        result.plan.reason = error.what();
    } catch (const std::exception& error) {
        result.plan.status = Status::failed;
        result.plan.reason = error.what();
    }
}

void mark_throttled(Report& report) {
    constexpr const char* warning = "timed while the device was throttled";
    std::vector<ClockReading> readings;
    for (const CaseResult& c : report.cases)
        if (c.time) readings.push_back(c.time->clocks);
    const std::optional<double> free_mhz = free_clock_mhz(report.ceilings, readings);
    for (CaseResult& c : report.cases) {
        if (!c.time) continue;
        c.time->clocks.throttled = held_down(c.time->clocks, free_mhz);
        std::erase(c.warnings, warning);
        if (c.time->clocks.throttled == true) c.warnings.insert(c.warnings.begin(), warning);
    }
}

bool counters_missing(const Report& report) {
    const auto failed = [](const auto& counter) {
        return counter.second.reason.starts_with(counting_failed);
    };
    return !report.counters_closed_gate.empty() || !report.selftest.unusable().empty() ||
           std::any_of(report.cases.begin(), report.cases.end(), [&](const CaseResult& c) {
               const CounterSet& set = c.counted.in_range;
               return std::any_of(set.begin(), set.end(), failed);
           });
}

void measure_report(Backend& backend, const std::vector<Case>& plan, Report& report,
                    const SweepEvents& events, SweepParts parts) {
    const auto can_run = [](const Case& c) { return c.status == Status::ok; };
    if (std::none_of(plan.begin(), plan.end(), can_run) && nothing_ran(report)) return;
    if (parts.ceilings) {
        begin(events, "measuring the ceilings");
        measure_ceilings(backend, report);
    }
    DeviceArena arena(backend);
    const bool usable = measure_cases(arena, plan, report, events);
    if (!usable) {
        report.counters_closed_gate = "the device was lost before the counters were read";
        report.counters_remedy = "see the failed case";
    } else if (report.config.counters != CounterMode::off && !stopped(events)) {
        count(arena, report, events);
    }
}

}  // namespace attnroof
