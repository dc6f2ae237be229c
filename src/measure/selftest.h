// Self-test of the counters: jobs with known counts, held against what was counted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace attnroof {

/// One counter in one job of known counts.
struct CalibrationResult {
    std::string job;  // "read", "mma bf16"
    Counter counter = Counter::hbm_read_bytes;
    double expected = 0;
    CounterValue counted;
    /// |counted - expected| relative to what is expected; where 0 is expected, to the most that the
    /// job expects of any counter. Empty when there is no value.
    std::optional<double> error;

    bool passed() const;  // true as well for a counter without a value, which cannot mislead
};

/// Above this relative error a counter is not to be trusted.
inline constexpr double selftest_tolerance = 0.01;

struct SelfTest {
    std::vector<CalibrationResult> results;
    std::string reason;  // why there are none

    /// The counters that failed, each with the reason that takes the place of its values.
    std::map<Counter, std::string> unusable() const;
};

/// Holds each set to the calibration at its place. `sets` may hold more.
SelfTest judge(const std::vector<Calibration>& calibrations, const std::vector<CounterSet>& sets);

/// Takes the values of unusable counters out of `set`.
void strike(CounterSet& set, const std::map<Counter, std::string>& unusable);

/// The self-test on its own.
struct SelfTestRun {
    SelfTest test;
    int passes = 0;
    std::string closed_gate, remedy;  // as in CountOutcome
};
SelfTestRun run_selftest(Backend& backend);

}  // namespace attnroof
