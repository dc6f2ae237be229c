// The stages of a sweep that touch the device. An error ends what it hit, never the sweep: the
// report stays valid and says what happened.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "plan/plan.h"
#include "report/report.h"

namespace attnroof {

/// What a sweep tells its caller, and asks of it. Empty functions are not called.
struct SweepEvents {
    std::function<void(const std::string& what)> begin;  // a step begins
    std::function<void()> case_done;                     // the report holds one more case
    std::function<bool()> stop;  // asked between steps: true ends the sweep before the next one
};

struct SweepParts {
    bool ceilings = true;
};

/// Fills `report`, whose cases are those of `plan`, all of them still to be run: measures the
/// ceilings if asked to, verifies and times each case, counts those that were timed. Once the
/// device is lost, the cases that are left are skipped. Where no case can run, and none that ran
/// before may be left to count, nothing is measured.
void measure_report(Backend& backend, const std::vector<Case>& plan, Report& report,
                    const SweepEvents& events, SweepParts parts = {});

/// Verifies, then times. A wrong result gets no time. Sets status and reason.
void measure_case(DeviceArena& arena, CaseResult& result, const SweepConfig& config);

/// Says of each timed case whether its clock was held down, and warns: from the reasons and clocks
/// that were read, against the clock that the device reaches free. Those that were measured since
/// change what earlier cases are held to.
void mark_throttled(Report& report);

/// True when counters could not be had: the gate was shut, the self-test found one off, or counting
/// failed for a case.
bool counters_missing(const Report& report);

}  // namespace attnroof
