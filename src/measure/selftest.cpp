#include "measure/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attnroof {
namespace {

double most_expected(const Calibration& calibration) {
    double most = 0;
    for (const auto& [counter, expected] : calibration.expected) most = std::max(most, expected);
    return most;
}

CalibrationResult hold(const Calibration& calibration, Counter counter, double expected,
                       const CounterSet& set) {
    CalibrationResult result;
    result.job = calibration.name;
    result.counter = counter;
    result.expected = expected;
    const auto found = set.find(counter);
    result.counted =
        found == set.end() ? CounterValue{std::nullopt, "", "not counted"} : found->second;
    if (result.counted.value) {
        const double scale = expected != 0 ? expected : most_expected(calibration);
        result.error = std::abs(*result.counted.value - expected) / scale;
    }
    return result;
}

}  // namespace

bool CalibrationResult::passed() const { return !error || *error <= selftest_tolerance; }

std::map<Counter, std::string> SelfTest::unusable() const {
    std::map<Counter, std::string> reasons;
    for (const CalibrationResult& result : results)
        if (!result.passed())
            reasons.emplace(result.counter,
                            fmt::format("the self-test found it off: {} of job \"{}\" were counted "
                                        "as {} ({})",
                                        result.expected, result.job, *result.counted.value,
                                        result.counted.metric));
    return reasons;
}

SelfTest judge(const std::vector<Calibration>& calibrations, const std::vector<CounterSet>& sets) {
    SelfTest test;
    if (calibrations.empty()) test.reason = "this device has no jobs of known counts";
    for (std::size_t i = 0; i < std::min(calibrations.size(), sets.size()); ++i)
        for (const auto& [counter, expected] : calibrations[i].expected)
            test.results.push_back(hold(calibrations[i], counter, expected, sets[i]));
    return test;
}

void strike(CounterSet& set, const std::map<Counter, std::string>& unusable) {
    for (const auto& [counter, reason] : unusable)
        if (const auto found = set.find(counter); found != set.end())
            found->second = {std::nullopt, found->second.metric, reason};
}

SelfTestRun run_selftest(Backend& backend) {
    const std::vector<Calibration> calibrations = backend.calibrations();
    std::vector<CountJob> jobs;
    for (const Calibration& calibration : calibrations) jobs.push_back(calibration.job);
    const CountOutcome outcome = backend.count(jobs);
    return {judge(calibrations, outcome.sets), outcome.passes, outcome.closed_gate, outcome.remedy};
}

}  // namespace attnroof
