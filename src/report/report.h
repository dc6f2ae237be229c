// The report: plain values that every format writes from. Nothing here knows how it was measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/ceiling.h"
#include "backend/device_facts.h"
#include "config/config.h"
#include "measure/count.h"
#include "measure/timing.h"
#include "measure/verify.h"
#include "plan/plan.h"
#include "roofline/roofline.h"

namespace attnroof {

struct CaseResult {
    Case plan;            // id, problem, kernel, cache, status and reason
    std::string variant;  // the variant of a report that was read; empty: plan.kernel's own
    std::optional<TimeStats> time;
    std::optional<CheckResult> check;
    CaseCounters counted;
    double useful_flops = 0;
    Traffic modelled;
    std::int64_t footprint_bytes = 0;  // operands + workspace, as modelled
    /// Device memory that allocating them took; empty where the device does not tell.
    std::optional<std::int64_t> allocated_bytes;
    std::optional<Point> point;  // only when status is ok
    std::vector<std::string> warnings;
};

/// The variant that ran, known to this build or not; empty when none could.
std::string variant_of(const CaseResult& result);

struct Report;

/// Why a case has no counters at all, and why nothing of the report has any.
std::string uncounted_reason(const CaseResult& result, const Report& report);
std::string uncounted_reason(const Report& report);

struct ToolFacts {
    std::string version, git_sha;
    bool git_dirty = false;
    std::string cuda, cupti, compiler;  // empty when the build or the machine has none
};

/// What the value is between: a 95 % interval, the two N about a crossing, the least and the most
/// over several series. The finding's text says which.
struct FindingInterval {
    double low = 0, high = 0;
};

struct Finding {
    std::string id, text;
    double value = 0;  // NaN: the text says why there is none
    std::string unit;
    std::optional<FindingInterval> interval{};
};

struct Report {
    bool complete = false;
    ToolFacts tool;
    std::vector<std::string> command;
    std::string started_at;  // UTC, ISO 8601
    double duration_s = 0;
    std::map<std::string, std::string> host;  // name, os, cpu
    DeviceFacts device;
    SweepConfig config;
    std::vector<Ceiling> ceilings;
    std::vector<CaseResult> cases;
    std::vector<Finding> findings;
    /// Where a prediction has its ceilings from; empty when the report was measured.
    std::optional<std::string> prediction;
    std::string counters_closed_gate;  // empty when counters worked or were not asked for
    std::string counters_remedy;
    SelfTest selftest;  // of the counters; empty when there was none
};

}  // namespace attnroof
